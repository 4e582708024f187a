/** The sentences a generated customer speaks. Several ways to say each thing; facts always appear word for word. */
import { pick, type Rng } from "../../base/index.ts";
import type { Address, Options, Order, OrderItem, PaymentMethod, User } from "./retail.ts";
import type { Scenario, Topic } from "./scenario.ts";

export type Detail = Scenario["requests"][number]["details"][number];

const ASKS = {
  cancel: ["I want to cancel an order.", "Please cancel one of my orders.", "I need to have an order cancelled."],
  return: ["I want to return something.", "I would like to send something back for a refund."],
  exchange: [
    "I want to exchange something that arrived.",
    "Something I received should be another version; I want to exchange it.",
  ],
  "modify-items": [
    "I want to change an item before my order ships.",
    "Please change something in an order that has not shipped yet.",
  ],
  "order-address": [
    "I want an order sent to another address.",
    "Please change the delivery address of one of my orders.",
  ],
  payment: ["I want to change the payment method of an order.", "Please let me pay for an order in another way."],
  "user-address": [
    "I have moved. Please update the address in my account.",
    "The address in my account is out of date; please update it.",
  ],
} as const satisfies Record<string, readonly string[]>;

export type Wish = keyof typeof ASKS;

export function askFor(wish: Wish, rng: Rng): string {
  return pick<string>(ASKS[wish], rng) as string;
}

export function detail(topic: Topic, text: string): Detail {
  return { topic, text };
}

/** By number, or by something in it when the customer has no number at hand. */
export function orderDetail(order: Order, rng: Rng): Detail {
  const item = pick(order.items, rng) as OrderItem;
  const texts = [
    `It is order ${order.order_id}.`,
    `The order number is ${order.order_id}.`,
    `I do not have the number at hand; it is the order with the ${item.name}.`,
  ];
  return detail("order", pick(texts, rng) as string);
}

export function itemsDetail(items: readonly OrderItem[], rng: Rng): Detail {
  const list = items.map((item) => `the ${item.name}`).join(" and ");
  return detail("items", pick([`It is about ${list}.`, `I mean ${list}.`], rng) as string);
}

/** Names only the options that change. */
export function optionsDetail(item: OrderItem, wanted: Options): Detail {
  const changes = Object.entries(wanted).filter(([name, value]) => item.options[name] !== value);
  const list = changes.map(([name, value]) => `the ${name} to be "${value}"`).join(" and ");
  return detail("options", `For the ${item.name} I want ${list}; the rest stays the same.`);
}

function methodName(method: PaymentMethod): string {
  if (method.source === "gift_card") return "my gift card";
  return method.source === "paypal" ? "my PayPal account" : `my ${method.brand} ending in ${method.last_four}`;
}

export function paymentDetail(method: PaymentMethod): Detail {
  return detail("payment", `Please use ${methodName(method)}.`);
}

export function reasonDetail(reason: string): Detail {
  return detail("reason", reason === "ordered by mistake" ? "I ordered it by mistake." : "I no longer need it.");
}

export function addressDetail(address: Address): Detail {
  const { street, city, region, country, zip } = address;
  return detail("address", `The new address is ${street}, ${city}, ${region}, ${country}, ${zip}.`);
}

export function identityByEmail(user: User): string {
  return `My e-mail address is ${user.email}.`;
}

export function identityByName(user: User): string {
  return `My name is ${user.first_name} ${user.last_name} and my zip code is ${user.address.zip}.`;
}
