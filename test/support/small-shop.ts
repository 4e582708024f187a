/** A shop small enough to work out by hand: two customers, five orders, two products. */
import { createBase, Database } from "../../packages/worlds/src/tools/database.ts";
import type { Address, Order, OrderItem, User } from "../../packages/worlds/src/tools/retail.ts";

export const HOME: Address = {
  street: "1 Elm Avenue",
  city: "Eastvale",
  region: "TN",
  country: "Limbria",
  zip: "11111",
};

const lamp = (id: string, colour: string, cents: number, available = true) => ({
  item_id: id,
  options: { colour },
  price_cents: cents,
  available,
});
const item = (id: string, product: string, name: string, colour: string, cents: number): OrderItem => ({
  item_id: id,
  product_id: product,
  name,
  options: { colour },
  price_cents: cents,
});

const BLACK_LAMP = item("101", "P1", "Desk Lamp", "black", 4000);
const GREY_BAG = item("201", "P2", "Backpack", "grey", 7050);

function order(id: string, user: string, status: Order["status"], changes: Partial<Order> = {}): Order {
  const items = changes.items ?? [BLACK_LAMP, GREY_BAG];
  return {
    order_id: id,
    user_id: user,
    status,
    address: HOME,
    items,
    payments: [
      {
        kind: "payment",
        amount_cents: items.reduce((sum, each) => sum + each.price_cents, 0),
        payment_method_id: user === "ada_dorn_1000" ? "card_a" : "card_b",
      },
    ],
    items_modified: false,
    delivered_days_ago: status === "delivered" ? 5 : null,
    tracking: status === "pending" ? null : "TR1",
    cancel_reason: null,
    returned_items: [],
    exchanged_items: [],
    ...changes,
  };
}

function user(id: string, first: string, last: string, letter: string, orders: readonly string[]): User {
  return {
    user_id: id,
    first_name: first,
    last_name: last,
    email: `${first.toLowerCase()}@example.com`,
    address: HOME,
    payment_methods: [
      { id: `card_${letter}`, source: "credit_card", brand: "Visa", last_four: "1234" },
      { id: `paypal_${letter}`, source: "paypal" },
      { id: `gift_${letter}`, source: "gift_card", balance_cents: 500 },
    ],
    orders,
  };
}

/** Ada: #W1 pending, #W2 delivered 5 days ago, #W3 delivered 45 days ago, #W4 pending and modified. Bela: #W9 pending. */
export function smallShop(): Database {
  const orders = [
    order("#W1", "ada_dorn_1000", "pending"),
    order("#W2", "ada_dorn_1000", "delivered"),
    order("#W3", "ada_dorn_1000", "delivered", { delivered_days_ago: 45, items: [BLACK_LAMP] }),
    order("#W4", "ada_dorn_1000", "pending", { items_modified: true, items: [BLACK_LAMP] }),
    order("#W9", "bela_haas_1004", "pending", { items: [GREY_BAG] }),
  ];
  return new Database(
    createBase("small shop", {
      users: [
        user("ada_dorn_1000", "Ada", "Dorn", "a", ["#W1", "#W2", "#W3", "#W4"]),
        user("bela_haas_1004", "Bela", "Haas", "b", ["#W9"]),
      ],
      orders,
      products: [
        {
          product_id: "P1",
          name: "Desk Lamp",
          variants: [
            lamp("101", "black", 4000),
            lamp("102", "white", 4625),
            lamp("103", "brass", 3990),
            lamp("104", "red", 4100, false),
          ],
        },
        { product_id: "P2", name: "Backpack", variants: [lamp("201", "grey", 7050), lamp("202", "navy", 7000)] },
      ],
    }),
  );
}
