/** What tools show of a row: the row with money in dollars. */
import type { Json } from "limbeck-base/base/json";
import type { Order, OrderItem, PaymentMethod, Product, User } from "./retail.ts";

export function userView(user: User): Json {
  const { payment_methods: methods, ...rest } = user;
  return { ...rest, address: { ...user.address }, payment_methods: methods.map(methodView) };
}

function methodView(method: PaymentMethod): { readonly [key: string]: Json } {
  if (method.source !== "gift_card") return { ...method };
  return { id: method.id, source: method.source, balance: method.balance_cents / 100 };
}

export function orderView(order: Order): Json {
  return {
    order_id: order.order_id,
    user_id: order.user_id,
    status: order.status,
    items: order.items.map(itemView),
    address: { ...order.address },
    payments: order.payments.map(({ kind, amount_cents: cents, payment_method_id: id }) => ({
      kind,
      amount: cents / 100,
      payment_method_id: id,
    })),
    items_modified: order.items_modified,
    delivered_days_ago: order.delivered_days_ago,
    tracking: order.tracking,
    ...(order.cancel_reason === null ? {} : { cancel_reason: order.cancel_reason }),
    ...(order.returned_items.length === 0 ? {} : { returned_items: order.returned_items }),
    ...(order.exchanged_items.length === 0 ? {} : { exchanged_items: order.exchanged_items }),
  };
}

export function productView(product: Product): Json {
  return {
    product_id: product.product_id,
    name: product.name,
    variants: product.variants.map((variant) => ({
      item_id: variant.item_id,
      options: { ...variant.options },
      price: variant.price_cents / 100,
      available: variant.available,
    })),
  };
}

function itemView(item: OrderItem): Json {
  const { price_cents: cents, options, ...rest } = item;
  return { ...rest, options: { ...options }, price: cents / 100 };
}
