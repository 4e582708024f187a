/** How a demonstrator answers a customer's question: reads what is needed, then says the number. */
import { callAction } from "./action.ts";
import { orderWith } from "./order-search.ts";
import type { Memory, OrderSeen } from "./memory.ts";

const UNKNOWN = "I am sorry, I cannot find that out.";

export function answerQuestion(memory: Memory): string {
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

function giftBalance(memory: Memory): string {
  if (memory.userStale) return callAction("get_user_details", { user_id: memory.userId ?? "" });
  const balance = memory.user?.payment_methods.find((method) => method.source === "gift_card")?.balance;
  return balance === undefined ? UNKNOWN : `Your gift card holds $${balance.toFixed(2)}.`;
}

function cheapestPrice(memory: Memory, name: string): string {
  const known = [...memory.products.values()].find((product) => product.name === name);
  if (known === undefined) {
    if (memory.productIds === undefined) return callAction("list_product_types", {});
    const id = memory.productIds[name];
    return id === undefined ? UNKNOWN : callAction("get_product_details", { product_id: id });
  }
  const prices = known.variants.filter((variant) => variant.available).map((variant) => variant.price);
  return prices.length === 0 ? UNKNOWN : `The cheapest one in stock costs $${Math.min(...prices).toFixed(2)}.`;
}

function aboutOrder(memory: Memory, products: readonly string[], say: (order: OrderSeen) => string): string {
  const order = orderWith(memory, products);
  if (order === undefined) return UNKNOWN;
  return typeof order === "string" ? order : say(order);
}

/** One price is read off; several are added with the calculator. */
function sumOf(memory: Memory, order: OrderSeen, names: readonly string[]): string {
  const prices = order.items.filter((item) => names.includes(item.name)).map((item) => item.price);
  const value = prices.length === 1 ? prices[0] : memory.wish.value;
  if (value === undefined) return callAction("calculate", { expression: prices.join(" + ") });
  return `That comes to $${value.toFixed(2)}.`;
}
