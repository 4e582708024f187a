/** What a demonstrator knows: everything it has read so far, put in order. Only observations enter. */
import { z } from "zod";
import { parseJson } from "../../base/index.ts";

const OrderSeen = z.object({
  order_id: z.string(),
  user_id: z.string(),
  status: z.string(),
  items: z.array(
    z.object({
      item_id: z.string(),
      product_id: z.string(),
      name: z.string(),
      options: z.record(z.string(), z.string()),
      price: z.number(),
    }),
  ),
  payments: z.array(z.object({ kind: z.string(), amount: z.number(), payment_method_id: z.string() })),
  items_modified: z.boolean(),
  delivered_days_ago: z.number().nullable(),
  tracking: z.string().nullable(),
});
const UserSeen = z.object({
  user_id: z.string(),
  orders: z.array(z.string()),
  payment_methods: z.array(
    z.object({
      id: z.string(),
      source: z.string(),
      brand: z.string().optional(),
      last_four: z.string().optional(),
      balance: z.number().optional(),
    }),
  ),
});
const ProductSeen = z.object({
  product_id: z.string(),
  name: z.string(),
  variants: z.array(
    z.object({
      item_id: z.string(),
      options: z.record(z.string(), z.string()),
      price: z.number(),
      available: z.boolean(),
    }),
  ),
});
const Found = z.object({ user_id: z.string().nullable() });
const Value = z.object({ value: z.number() });

export type OrderSeen = z.infer<typeof OrderSeen>;
export type UserSeen = z.infer<typeof UserSeen>;
export type ProductSeen = z.infer<typeof ProductSeen>;

/** The customer's present wish and how far it has come. */
interface WishSeen {
  readonly ask: string;
  told: string;
  agreed: boolean;
  done: boolean;
  value: number | undefined;
}

export interface CaseMemory {
  identity:
    | { readonly email: string }
    | { readonly first: string; readonly last: string; readonly zip: string }
    | undefined;
  userId: string | undefined;
  user: UserSeen | undefined;
  /** A write may have moved a gift card's balance since the user was read. */
  userStale: boolean;
  readonly orders: Map<string, OrderSeen>;
  readonly products: Map<string, ProductSeen>;
  productIds: Readonly<Record<string, string>> | undefined;
  wish: WishSeen;
}

export function createMemory(): CaseMemory {
  return {
    identity: undefined,
    userId: undefined,
    user: undefined,
    userStale: false,
    orders: new Map(),
    products: new Map(),
    productIds: undefined,
    wish: newWish(""),
  };
}

function newWish(ask: string): WishSeen {
  return { ask, told: "", agreed: false, done: false, value: undefined };
}

/** Takes in one observation. What it does not understand leaves no trace. */
export function notice(memory: CaseMemory, observation: string): void {
  const tool = /^Tool (\w+): /.exec(observation);
  if (tool !== null) {
    noticeTool(memory, tool[1] as string, parseJson(observation.slice(tool[0].length)));
    return;
  }
  const at = observation.lastIndexOf("Customer: ");
  if (at >= 0 && !observation.startsWith("Error: "))
    noticeCustomer(memory, observation.slice(at + "Customer: ".length));
}

function noticeTool(memory: CaseMemory, tool: string, output: unknown): void {
  if (tool.startsWith("find_user_by_")) memory.userId = Found.safeParse(output).data?.user_id ?? memory.userId;
  if (tool === "calculate") memory.wish.value = Value.safeParse(output).data?.value;
  if (tool === "list_product_types") memory.productIds = z.record(z.string(), z.string()).safeParse(output).data;
  const product = ProductSeen.safeParse(output).data;
  if (product !== undefined) memory.products.set(product.product_id, product);
  const order = OrderSeen.safeParse(output).data;
  if (order !== undefined) memory.orders.set(order.order_id, order);
  const user = UserSeen.safeParse(output).data;
  if (user !== undefined) [memory.user, memory.userStale] = [user, false];
  if (/^(?:cancel|modify|return|exchange)_/.test(tool)) {
    memory.wish.done = true;
    if (user === undefined) memory.userStale = true;
  }
}

function noticeCustomer(memory: CaseMemory, text: string): void {
  const email = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(text)?.[0].replace(/\.$/, "");
  const name = /name is (\S+) (\S+) and my zip code is (\w+)/.exec(text);
  if (email !== undefined) memory.identity = { email };
  else if (name !== null) memory.identity = { first: name[1] ?? "", last: name[2] ?? "", zip: name[3] ?? "" };
  else if (text.startsWith("Yes, please go ahead")) memory.wish.agreed = true;
  else {
    const fresh = /^(?:Hello\.|All right\. One more thing:|Wait, I have changed my mind\.) (.*)$/s.exec(text)?.[1];
    if (fresh !== undefined) memory.wish = newWish(fresh);
    else memory.wish.told += ` ${text}`;
  }
}
