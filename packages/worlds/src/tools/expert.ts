/**
 * Demonstrators: a clerk who sees only the conversation and the tool results, and two who lack something.
 *
 * Each turn they take in the observation and decide anew from all they know, so they can go on after actions that
 * others chose.
 */
import { z } from "zod";
import { parseJson, type JsonObject } from "limbeck-base/base/json";
import type { Demonstrator, Seen } from "limbeck-core/env/expert";
import { callAction } from "limbeck-base/trajectory/tool-action";
import type { Wish } from "./wishes.ts";
import { RETURN_DAYS } from "./policy.ts";
import type { Topic } from "./scenario.ts";

interface Skills {
  /** Asks for a yes before each change. */
  readonly asksFirst: boolean;
  /** Declines what the policy forbids; without it only the tools' refusals count. */
  readonly mindsPolicy: boolean;
  /** Picks the variant that was asked for; without it, the first in stock. */
  readonly matchesOptions: boolean;
}

const ALL: Skills = { asksFirst: true, mindsPolicy: true, matchesOptions: true };
const CANNOT = "I am sorry, I cannot do that; the policy of the shop does not allow it.";
const ASK_FOR: Readonly<Record<Topic, string>> = {
  order: "the order number",
  items: "the items it is about",
  options: "the options you want instead",
  reason: "the reason",
  payment: "the payment method to use",
  address: "the new address",
};

export const DEMONSTRATORS = {
  expert: demonstrator("expert", "Follows the policy to the letter and serves every wish.", ALL),
  hasty: demonstrator("hasty", "Acts without asking for a yes and does what the tools allow.", {
    ...ALL,
    asksFirst: false,
    mindsPolicy: false,
  }),
  careless: demonstrator("careless", "Takes the first variant in stock instead of the one asked for.", {
    ...ALL,
    matchesOptions: false,
  }),
} as const satisfies Record<string, Demonstrator>;

function demonstrator(id: string, summary: string, skills: Skills): Demonstrator {
  return {
    id,
    summary,
    start: () => {
      const memory = createMemory();
      return {
        next: (seen: Seen) => {
          notice(memory, seen.observation);
          const action = decide(memory, skills);
          // The same call again would be refused again.
          const refused = seen.observation.startsWith("Error: ") && seen.action === action;
          return refused ? CANNOT : action;
        },
      };
    },
  };
}

function decide(memory: CaseMemory, skills: Skills): string {
  const { identity, userId, user, wish } = memory;
  if (userId === undefined) {
    if (identity === undefined) return "Welcome. Please tell me your e-mail address, or your full name and zip code.";
    if ("email" in identity) return callAction("find_user_by_email", { email: identity.email });
    const { first, last, zip } = identity;
    return callAction("find_user_by_name_zip", { first_name: first, last_name: last, zip });
  }
  if (user === undefined) return callAction("get_user_details", { user_id: userId });
  if (wish.done) return "It is done. Is there anything else I can help with?";
  const kind = kindOf(wish.ask);
  if (kind === undefined) return "What exactly would you like me to do? Please tell me the order and the item.";
  if (kind === "handover") return callAction("transfer_to_human", { summary: wish.ask.slice(0, 500) });
  if (kind === "nothing") return "Very well, nothing has been changed. Is there anything else?";
  if (kind === "question") return answerQuestion(memory);
  return serve(memory, kind, skills);
}

function serve(memory: CaseMemory, kind: Wish, skills: Skills): string {
  const { wish, user } = memory;
  if (user === undefined) return CANNOT;
  const missing = missingTopics(kind, wish.told);
  if (missing.length > 0) return `For that I need ${missing.map((topic) => ASK_FOR[topic]).join(" and ")}.`;
  const address = addressOf(wish.told);
  if (kind === "user-address") {
    return address === undefined
      ? CANNOT
      : act(memory, skills, "modify_user_address", { user_id: user.user_id, ...address }, address["zip"] ?? "");
  }
  const order = findOrder(memory, skills);
  if (typeof order === "string") return order;
  if (skills.mindsPolicy && !allowed(kind, order, memory)) return CANNOT;
  const args = argumentsFor(memory, kind, order, skills);
  if (typeof args === "string") return args;
  return act(memory, skills, TOOL_FOR[kind], { order_id: order.order_id, ...args }, order.order_id);
}

const TOOL_FOR: Readonly<Record<Exclude<Wish, "user-address">, string>> = {
  cancel: "cancel_pending_order",
  return: "return_delivered_order_items",
  exchange: "exchange_delivered_order_items",
  "modify-items": "modify_pending_order_items",
  "order-address": "modify_pending_order_address",
  payment: "modify_pending_order_payment",
};

function act(memory: CaseMemory, skills: Skills, name: string, args: JsonObject, target: string): string {
  if (memory.wish.agreed || !skills.asksFirst) return callAction(name, args);
  return `I will now ${name.replaceAll("_", " ")} for ${target}, as you described. Do you confirm? (yes/no)`;
}

/** The order, or the action that finds it. */
function findOrder(memory: CaseMemory, skills: Skills): OrderSeen | string {
  const hint = orderHint(memory.wish.told);
  const own = memory.user?.orders ?? [];
  if (hint === undefined) return CANNOT;
  if ("id" in hint) {
    if (skills.mindsPolicy && !own.includes(hint.id)) return CANNOT;
    return memory.orders.get(hint.id) ?? callAction("get_order_details", { order_id: hint.id });
  }
  return orderWith(memory, [hint.product]) ?? CANNOT;
}

function allowed(kind: Wish, order: OrderSeen, memory: CaseMemory): boolean {
  if (order.user_id !== memory.userId) return false;
  if (kind === "return" || kind === "exchange") {
    if (order.status !== "delivered" || (order.delivered_days_ago ?? 0) > RETURN_DAYS) return false;
    return kind === "exchange" || mayRefund(order, memory);
  }
  return order.status === "pending" && !(kind === "modify-items" && order.items_modified);
}

function mayRefund(order: OrderSeen, { user, wish }: CaseMemory): boolean {
  const method = user === undefined ? undefined : methodFor(user, wish.told);
  const source = user?.payment_methods.find((candidate) => candidate.id === method)?.source;
  return source === "gift_card" || method === order.payments.find((line) => line.kind === "payment")?.payment_method_id;
}

/** The arguments besides the order, or the action that must come first. */
function argumentsFor(memory: CaseMemory, kind: Wish, order: OrderSeen, skills: Skills): JsonObject | string {
  const { told } = memory.wish;
  const method = memory.user === undefined ? undefined : methodFor(memory.user, told);
  if (kind === "cancel") return { reason: reasonOf(told) ?? "no longer needed" };
  if (kind === "order-address") return { ...addressOf(told) };
  if (method === undefined) return CANNOT;
  if (kind === "payment") return { payment_method_id: method };
  const items = itemNames(told).flatMap((name) => order.items.find((item) => item.name === name) ?? []);
  if (items.length === 0) return CANNOT;
  const itemIds = items.map((item) => item.item_id);
  if (kind === "return") return { item_ids: itemIds, payment_method_id: method };
  const fresh: string[] = [];
  for (const item of items) {
    const changes = optionsFor(item.name, told);
    if (changes === undefined && skills.mindsPolicy) return CANNOT;
    const product = memory.products.get(item.product_id);
    if (product === undefined) return callAction("get_product_details", { product_id: item.product_id });
    const variant = skills.matchesOptions
      ? wantedVariant(product, item, changes ?? {})
      : product.variants.find((candidate) => candidate.available && candidate.item_id !== item.item_id);
    if (variant === undefined || !variant.available) return CANNOT;
    fresh.push(variant.item_id);
  }
  return { item_ids: itemIds, new_item_ids: fresh, payment_method_id: method };
}

// How a demonstrator understands a customer's sentences: which wish it is, and its details so far.

type WishKind = Wish | "question" | "handover" | "nothing";

const KINDS: readonly (readonly [RegExp, WishKind])[] = [
  [/compensation|complain/, "handover"],
  [/leave everything/, "nothing"],
  [/\?$/, "question"],
  [/cancel/, "cancel"],
  [/return|send something back/, "return"],
  [/exchange/, "exchange"],
  [/ships?\b|shipped/, "modify-items"],
  [/sent to another address|delivery address/, "order-address"],
  [/payment method|pay for an order/, "payment"],
  [/my account/, "user-address"],
];

function kindOf(ask: string): WishKind | undefined {
  return KINDS.find(([words]) => words.test(ask))?.[1];
}

const NEEDS: Readonly<Record<Wish, readonly Topic[]>> = {
  cancel: ["order", "reason"],
  return: ["order", "items", "payment"],
  exchange: ["order", "items", "options", "payment"],
  "modify-items": ["order", "items", "options", "payment"],
  "order-address": ["order", "address"],
  payment: ["order", "payment"],
  "user-address": ["address"],
};

function missingTopics(wish: Wish, told: string): Topic[] {
  const known: Readonly<Record<Topic, boolean>> = {
    order: orderHint(told) !== undefined,
    items: itemNames(told).length > 0,
    options: itemNames(told).length > 0 && itemNames(told).every((name) => told.includes(`For the ${name} I want`)),
    payment: /Please use (.+?)\./.test(told),
    reason: reasonOf(told) !== undefined,
    address: addressOf(told) !== undefined,
  };
  return NEEDS[wish].filter((topic) => !known[topic]);
}

/** An order number, or the name of something in the order. */
function orderHint(told: string): { readonly id: string } | { readonly product: string } | undefined {
  const id = /#W\d{7}/.exec(told)?.[0];
  if (id !== undefined) return { id };
  const product = /order with the ([^.?]+)/.exec(told)?.[1];
  return product === undefined ? undefined : { product };
}

function itemNames(told: string): string[] {
  const list = /(?:about|I mean) (the [^.]+)\./.exec(told)?.[1];
  return list === undefined ? [] : list.split(" and ").map((name) => name.replace(/^the /, ""));
}

/** The options wanted for an item; undefined when something else is wanted in its place. */
function optionsFor(name: string, told: string): Readonly<Record<string, string>> | undefined {
  const start = told.indexOf(`For the ${name} I want`);
  const sentence = told.slice(start, told.indexOf("; the rest stays the same", start));
  const pairs = [...sentence.matchAll(/the (\w+) to be "([^"]*)"/g)].map((match) => [match[1] ?? "", match[2] ?? ""]);
  return pairs.length === 0 ? undefined : (Object.fromEntries(pairs) as Record<string, string>);
}

function wantedVariant(
  product: ProductSeen,
  item: OrderSeen["items"][number],
  changes: Readonly<Record<string, string>>,
): ProductSeen["variants"][number] | undefined {
  const wanted = Object.entries({ ...item.options, ...changes });
  return product.variants.find((variant) => wanted.every(([name, value]) => variant.options[name] === value));
}

function methodFor(user: UserSeen, told: string): string | undefined {
  const text = /Please use (.+?)\./.exec(told)?.[1] ?? "";
  const lastFour = /ending in (\d+)/.exec(text)?.[1];
  const source = text.includes("gift card") ? "gift_card" : text.includes("PayPal") ? "paypal" : "credit_card";
  return user.payment_methods.find(
    (method) => method.source === source && (lastFour === undefined || method.last_four === lastFour),
  )?.id;
}

function reasonOf(told: string): string | undefined {
  if (/by mistake/.test(told)) return "ordered by mistake";
  return /no longer need/.test(told) ? "no longer needed" : undefined;
}

function addressOf(told: string): Readonly<Record<string, string>> | undefined {
  const parts = /new address is ([^.]+)\./.exec(told)?.[1]?.split(", ");
  if (parts?.length !== 5) return undefined;
  const [street = "", city = "", region = "", country = "", zip = ""] = parts;
  return { street, city, region, country, zip };
}

// How a demonstrator answers a customer's question: reads what is needed, then says the number.

const UNKNOWN = "I am sorry, I cannot find that out.";

function answerQuestion(memory: CaseMemory): string {
  const { ask } = memory.wish;
  if (ask.includes("gift card")) return giftBalance(memory);
  const cheapest = /cheapest (.+?) in stock/.exec(ask)?.[1];
  if (cheapest !== undefined) return cheapestPrice(memory, cheapest);
  const pair = /were the (.+?) and the (.+?) in my order/.exec(ask);
  if (pair !== null) {
    const names = [pair[1] ?? "", pair[2] ?? ""];
    return aboutOrder(memory, names, (order) => sumOf(memory, order, names));
  }
  const product = /order with the ([^?]+)\?/.exec(ask)?.[1];
  if (product === undefined) return UNKNOWN;
  return aboutOrder(memory, [product], (order) =>
    ask.includes("tracking")
      ? `The tracking code of order ${order.order_id} is ${order.tracking ?? "not there yet"}.`
      : sumOf(
          memory,
          order,
          order.items.map((item) => item.name),
        ),
  );
}

function giftBalance(memory: CaseMemory): string {
  if (memory.userStale) return callAction("get_user_details", { user_id: memory.userId ?? "" });
  const balance = memory.user?.payment_methods.find((method) => method.source === "gift_card")?.balance;
  return balance === undefined ? UNKNOWN : `Your gift card holds $${balance.toFixed(2)}.`;
}

function cheapestPrice(memory: CaseMemory, name: string): string {
  const known = [...memory.products.values()].find((product) => product.name === name);
  if (known === undefined) {
    if (memory.productIds === undefined) return callAction("list_product_types", {});
    const id = memory.productIds[name];
    return id === undefined ? UNKNOWN : callAction("get_product_details", { product_id: id });
  }
  const prices = known.variants.filter((variant) => variant.available).map((variant) => variant.price);
  return prices.length === 0 ? UNKNOWN : `The cheapest one in stock costs $${Math.min(...prices).toFixed(2)}.`;
}

function aboutOrder(memory: CaseMemory, products: readonly string[], say: (order: OrderSeen) => string): string {
  const order = orderWith(memory, products);
  if (order === undefined) return UNKNOWN;
  return typeof order === "string" ? order : say(order);
}

/** One price is read off; several are added with the calculator. */
function sumOf(memory: CaseMemory, order: OrderSeen, names: readonly string[]): string {
  const prices = order.items.filter((item) => names.includes(item.name)).map((item) => item.price);
  const value = prices.length === 1 ? prices[0] : memory.wish.value;
  if (value === undefined) return callAction("calculate", { expression: prices.join(" + ") });
  return `That comes to $${value.toFixed(2)}.`;
}

// How a demonstrator finds an order by what is in it.

/** The customer's order that holds all these products, or the call that looks into the next one. */
function orderWith(memory: CaseMemory, products: readonly string[]): OrderSeen | string | undefined {
  const own = memory.user?.orders ?? [];
  const known = own.flatMap((id) => memory.orders.get(id) ?? []);
  const found = known.find((order) => products.every((name) => order.items.some((item) => item.name === name)));
  if (found !== undefined) return found;
  const unread = own.find((id) => !memory.orders.has(id));
  return unread === undefined ? undefined : callAction("get_order_details", { order_id: unread });
}

// What a demonstrator knows: everything it has read so far, put in order. Only observations enter.

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

type OrderSeen = z.infer<typeof OrderSeen>;
type UserSeen = z.infer<typeof UserSeen>;
type ProductSeen = z.infer<typeof ProductSeen>;

/** The customer's present wish and how far it has come. */
interface WishSeen {
  readonly ask: string;
  told: string;
  agreed: boolean;
  done: boolean;
  value: number | undefined;
}

interface CaseMemory {
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

function createMemory(): CaseMemory {
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
function notice(memory: CaseMemory, observation: string): void {
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
