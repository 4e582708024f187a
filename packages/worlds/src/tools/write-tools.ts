/** The tools that change orders and customers, and the one that hands the conversation over. */
import { z } from "zod";
import type { Database } from "./database.ts";
import { orderItem } from "./generate-database.ts";
import { cannotPay, methodOf, paymentLine, settle } from "./money.ts";
import { orderId } from "./read-tools.ts";
import { type Order, type OrderItem, orderTotalCents, originalMethod, type User } from "./retail.ts";
import { answer, refuse, type Tool, type ToolResult, writeTool } from "./tool.ts";
import { orderView, userView } from "./view.ts";

export const CANCEL_REASONS = ["no longer needed", "ordered by mistake"] as const;

const text = z.string().min(1).max(200);
const address = { street: text, city: text, region: text, country: text, zip: text };
const itemIds = z.array(text).min(1).max(20);
const paymentMethodId = text.describe("One of the customer's payment methods");

/** Runs with the order and its owner, or refuses. */
function withOrder(
  database: Database,
  id: string,
  status: Order["status"],
  run: (order: Order, user: User) => ToolResult,
): ToolResult {
  const order = database.order(id);
  if (order === undefined) return refuse(`No order "${id}".`);
  if (order.status !== status) return refuse(`Order "${id}" is ${order.status}; this needs a ${status} order.`);
  const user = database.user(order.user_id);
  return user === undefined ? refuse(`Order "${id}" has no customer.`) : run(order, user);
}

const cancel = writeTool({
  name: "cancel_pending_order",
  description: "Cancels a pending order and refunds it to the method that paid.",
  irreversible: true,
  parameters: z.strictObject({ order_id: orderId, reason: z.enum(CANCEL_REASONS) }),
  run: (database, { order_id: id, reason }) =>
    withOrder(database, id, "pending", (order, user) => {
      const total = orderTotalCents(order);
      const method = originalMethod(order) ?? "";
      const changed: Order = {
        ...order,
        status: "cancelled",
        cancel_reason: reason,
        payments: [...order.payments, ...paymentLine(method, -total)],
      };
      return answer(settle(database, user, method, -total).withOrder(changed), orderView(changed));
    }),
});

const modifyAddress = writeTool({
  name: "modify_pending_order_address",
  description: "Changes where a pending order is sent.",
  irreversible: false,
  parameters: z.strictObject({ order_id: orderId, ...address }),
  run: (database, { order_id: id, ...place }) =>
    withOrder(database, id, "pending", (order) => {
      const changed = { ...order, address: place };
      return answer(database.withOrder(changed), orderView(changed));
    }),
});

const modifyPayment = writeTool({
  name: "modify_pending_order_payment",
  description: "Pays a pending order with another of the customer's methods; the first payment is refunded.",
  irreversible: false,
  parameters: z.strictObject({ order_id: orderId, payment_method_id: paymentMethodId }),
  run: (database, { order_id: id, payment_method_id: methodId }) =>
    withOrder(database, id, "pending", (order, user) => {
      const method = methodOf(user, methodId);
      if (method === undefined) return refuse(`The customer has no payment method "${methodId}".`);
      const before = originalMethod(order) ?? "";
      if (before === methodId) return refuse(`Order "${id}" is already paid with "${methodId}".`);
      const total = orderTotalCents(order);
      const problem = cannotPay(method, total);
      if (problem !== undefined) return refuse(problem);
      const refunded = settle(database, user, before, -total);
      const paid = settle(refunded, refunded.user(user.user_id) ?? user, methodId, total);
      const changed = { ...order, payments: paymentLine(methodId, total) };
      return answer(paid.withOrder(changed), orderView(changed));
    }),
});

/** A tool that puts other variants in place of items of an order; `change` says what becomes of the order. */
function swapTool(parts: {
  readonly name: string;
  readonly description: string;
  readonly status: Order["status"];
  readonly change: (order: Order, pairs: readonly Pair[]) => Partial<Order>;
}): Tool {
  return writeTool({
    name: parts.name,
    description: parts.description,
    irreversible: true,
    parameters: z.strictObject({
      order_id: orderId,
      item_ids: itemIds,
      new_item_ids: itemIds,
      payment_method_id: paymentMethodId,
    }),
    run: (database, args) =>
      withOrder(database, args.order_id, parts.status, (order, user) => {
        const swap = swapItems(database, order, args.item_ids, args.new_item_ids);
        if (!swap.ok) return refuse(swap.reason);
        const method = methodOf(user, args.payment_method_id);
        if (method === undefined) return refuse(`The customer has no payment method "${args.payment_method_id}".`);
        const difference = priceChange(swap.pairs);
        const problem = cannotPay(method, difference);
        if (problem !== undefined) return refuse(problem);
        const payments = [...order.payments, ...paymentLine(method.id, difference)];
        const changed: Order = { ...order, ...parts.change(order, swap.pairs), payments };
        return answer(settle(database, user, method.id, difference).withOrder(changed), orderView(changed));
      }),
  });
}

const modifyItems = swapTool({
  name: "modify_pending_order_items",
  description: "Swaps items of a pending order for other variants of the same products, place by place.",
  status: "pending",
  change: (order, pairs) => ({
    items: order.items.map((item) => pairs.find(([old]) => old === item)?.[1] ?? item),
    items_modified: true,
  }),
});

const modifyUserAddress = writeTool({
  name: "modify_user_address",
  description: "Changes the customer's own address; orders keep theirs.",
  irreversible: false,
  parameters: z.strictObject({ user_id: text, ...address }),
  run: (database, { user_id: id, ...place }) => {
    const user = database.user(id);
    if (user === undefined) return refuse(`No user "${id}".`);
    const changed = { ...user, address: place };
    return answer(database.withUser(changed), userView(changed));
  },
});

const transfer = writeTool({
  name: "transfer_to_human",
  description: "Hands the conversation to a person, with a summary. Ends the conversation.",
  irreversible: true,
  ends: true,
  parameters: z.strictObject({ summary: z.string().min(1).max(2_000) }),
  run: (database) => answer(database.withTransfer(), { transferred: true }),
});

// The tools for delivered orders: return and exchange. Each makes a request; the order's status says which.

const returnItems = writeTool({
  name: "return_delivered_order_items",
  description: "Takes items of a delivered order back and refunds their price to the given method.",
  irreversible: true,
  parameters: z.strictObject({ order_id: orderId, item_ids: itemIds, payment_method_id: paymentMethodId }),
  run: (database, args) =>
    withOrder(database, args.order_id, "delivered", (order, user) => {
      if (new Set(args.item_ids).size !== args.item_ids.length) return refuse("An item is named twice.");
      const missing = args.item_ids.find((id) => !order.items.some((item) => item.item_id === id));
      if (missing !== undefined) return refuse(`Order "${order.order_id}" has no item "${missing}".`);
      const method = methodOf(user, args.payment_method_id);
      if (method === undefined) return refuse(`The customer has no payment method "${args.payment_method_id}".`);
      const returned = order.items.filter((item) => args.item_ids.includes(item.item_id));
      const refund = returned.reduce((total, item) => total + item.price_cents, 0);
      const changed: Order = {
        ...order,
        status: "return requested",
        // Sorted, because the order in which a customer names things is no difference in the outcome.
        returned_items: returned.map((item) => item.item_id).sort(),
        payments: [...order.payments, ...paymentLine(method.id, -refund)],
      };
      return answer(settle(database, user, method.id, -refund).withOrder(changed), orderView(changed));
    }),
});

const exchangeItems = swapTool({
  name: "exchange_delivered_order_items",
  description: "Exchanges items of a delivered order for other variants of the same products, place by place.",
  status: "delivered",
  change: (_order, pairs) => ({
    status: "exchange requested",
    exchanged_items: pairs
      .map(([old, fresh]) => [old.item_id, fresh.item_id] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  }),
});

export const WRITE_TOOLS: readonly Tool[] = [
  cancel,
  modifyAddress,
  modifyPayment,
  modifyItems,
  modifyUserAddress,
  transfer,
  returnItems,
  exchangeItems,
];

// Swapping items of an order for other variants of the same products, as changes and exchanges do.

type Pair = readonly [old: OrderItem, fresh: OrderItem];
type Swap = { readonly ok: true; readonly pairs: readonly Pair[] } | { readonly ok: false; readonly reason: string };

function swapItems(database: Database, order: Order, from: readonly string[], to: readonly string[]): Swap {
  const fail = (reason: string): Swap => ({ ok: false, reason });
  if (from.length !== to.length)
    return fail(`${from.length} items cannot become ${to.length}; give one new item for each.`);
  if (new Set(from).size !== from.length) return fail("An item is named twice.");
  const pairs: Pair[] = [];
  for (const [index, oldId] of from.entries()) {
    const newId = to[index] as string;
    const old = order.items.find((item) => item.item_id === oldId);
    if (old === undefined) return fail(`Order "${order.order_id}" has no item "${oldId}".`);
    const product = database.product(old.product_id);
    const variant = product?.variants.find((candidate) => candidate.item_id === newId);
    if (product === undefined || variant === undefined) return fail(`Item "${newId}" is not a variant of ${old.name}.`);
    if (!variant.available) return fail(`Item "${newId}" is not in stock.`);
    if (newId === oldId) return fail(`Item "${newId}" is what the customer has already.`);
    pairs.push([old, orderItem(product, variant)]);
  }
  return { ok: true, pairs };
}

/** What the customer owes in cents; negative when they get money back. */
function priceChange(pairs: readonly Pair[]): number {
  return pairs.reduce((total, [old, fresh]) => total + fresh.price_cents - old.price_cents, 0);
}
