/** Swapping items of an order for other variants of the same products, as changes and exchanges do. */
import type { Database } from "./database.ts";
import { orderItem } from "./generate-database.ts";
import type { Order, OrderItem } from "./retail.ts";

export type Pair = readonly [old: OrderItem, fresh: OrderItem];
type Swap = { readonly ok: true; readonly pairs: readonly Pair[] } | { readonly ok: false; readonly reason: string };

export function swapItems(database: Database, order: Order, from: readonly string[], to: readonly string[]): Swap {
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
export function priceChange(pairs: readonly Pair[]): number {
  return pairs.reduce((total, [old, fresh]) => total + fresh.price_cents - old.price_cents, 0);
}
