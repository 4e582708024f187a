/** How a demonstrator finds an order by what is in it. */
import { callAction } from "./action.ts";
import type { Memory, OrderSeen } from "./memory.ts";

/** The customer's order that holds all these products, or the call that looks into the next one. */
export function orderWith(memory: Memory, products: readonly string[]): OrderSeen | string | undefined {
  const own = memory.user?.orders ?? [];
  const known = own.flatMap((id) => memory.orders.get(id) ?? []);
  const found = known.find((order) => products.every((name) => order.items.some((item) => item.name === name)));
  if (found !== undefined) return found;
  const unread = own.find((id) => !memory.orders.has(id));
  return unread === undefined ? undefined : callAction("get_order_details", { order_id: unread });
}
