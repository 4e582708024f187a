/**
 * What a customer can want and get: each maker finds an order of this customer that fits and gives the wish with the
 * calls that fulfil it, or undefined when there is none.
 */
import { pick, type Rng, shuffle } from "limbeck-base/base/rng";
import type { Json } from "limbeck-base/base/json";
import type { Database } from "./database.ts";
import { makeAddress } from "./generate-database.ts";
import { methodOf } from "./money.ts";
import { RETURN_DAYS } from "./policy.ts";
import {
  type Address,
  type Options,
  type Order,
  type OrderItem,
  type OrderStatus,
  orderTotalCents,
  originalMethod,
  type PaymentMethod,
  type User,
  type Variant,
} from "./retail.ts";
import type { CustomerRequest, ReferenceCall, Scenario, Topic } from "./scenario.ts";
import { CANCEL_REASONS } from "./write-tools.ts";

/** A wish with what must come of it. */
export interface Planned {
  readonly request: CustomerRequest;
  readonly reference: readonly ReferenceCall[];
  readonly outputs: readonly string[];
}

export interface Maker {
  readonly database: Database;
  readonly user: User;
  readonly rng: Rng;
  /** Orders another wish of this task is about. */
  readonly taken: ReadonlySet<string>;
}

export type MakeWish = (maker: Maker) => (Planned & { readonly order?: string }) | undefined;

export function ordersWith(maker: Maker, status: OrderStatus, fits: (order: Order) => boolean = () => true): Order[] {
  const orders = maker.user.orders.flatMap((id) => maker.database.order(id) ?? []);
  return shuffle(
    orders.filter((order) => order.status === status && !maker.taken.has(order.order_id) && fits(order)),
    maker.rng,
  );
}

function action(
  wish: Wish,
  maker: Maker,
  parts: {
    readonly order: Order;
    readonly details: CustomerRequest["details"];
    readonly name: string;
    readonly args: Readonly<Record<string, Json>>;
  },
): ReturnType<MakeWish> {
  const { order, details, name, args } = parts;
  return {
    request: {
      kind: "action",
      ask: askFor(wish, maker.rng),
      details: [orderDetail(order, maker.rng), ...details],
      mentions: [order.order_id],
    },
    reference: [{ name, arguments: { order_id: order.order_id, ...args } }],
    outputs: [],
    order: order.order_id,
  };
}

export const isFresh = (order: Order): boolean => (order.delivered_days_ago ?? 0) <= RETURN_DAYS;

const cancel: MakeWish = (maker) => {
  const [order] = ordersWith(maker, "pending");
  if (order === undefined) return undefined;
  const reason = pick(CANCEL_REASONS, maker.rng) as string;
  return action("cancel", maker, {
    order,
    details: [reasonDetail(reason)],
    name: "cancel_pending_order",
    args: { reason },
  });
};

const returnItems: MakeWish = (maker) => {
  const [order] = ordersWith(maker, "delivered", isFresh);
  if (order === undefined) return undefined;
  const items = shuffle(order.items, maker.rng).slice(0, 1 + maker.rng.int(2));
  const original = methodOf(maker.user, originalMethod(order) ?? "");
  const gift = maker.user.payment_methods.find((method) => method.source === "gift_card");
  const method = maker.rng.float() < 0.5 ? original : gift;
  if (method === undefined) return undefined;
  return action("return", maker, {
    order,
    details: [itemsDetail(items, maker.rng), paymentDetail(method)],
    name: "return_delivered_order_items",
    args: { item_ids: items.map((item) => item.item_id), payment_method_id: method.id },
  });
};

/** Another variant in stock that the changed options name without doubt. */
export function otherVariant(maker: Maker, item: OrderItem): Variant | undefined {
  const variants = maker.database.product(item.product_id)?.variants ?? [];
  return pick(
    variants.filter((variant) => variant.available && variant.item_id !== item.item_id),
    maker.rng,
  );
}

function swap(wish: "exchange" | "modify-items", maker: Maker, order: Order | undefined): ReturnType<MakeWish> {
  if (order === undefined) return undefined;
  const items = shuffle(order.items, maker.rng).slice(0, maker.rng.float() < 0.3 ? 2 : 1);
  const fresh = items.flatMap((item) => otherVariant(maker, item) ?? []);
  if (fresh.length !== items.length) return undefined;
  const difference = fresh.reduce(
    (sum, variant, index) => sum + variant.price_cents - (items[index]?.price_cents ?? 0),
    0,
  );
  const able = maker.user.payment_methods.filter(
    (method) => method.source !== "gift_card" || method.balance_cents >= difference,
  );
  const method = pick(able, maker.rng);
  if (method === undefined) return undefined;
  const options = items.map((item, index) => optionsDetail(item, (fresh[index] as Variant).options));
  return action(wish, maker, {
    order,
    details: [itemsDetail(items, maker.rng), ...options, paymentDetail(method)],
    name: wish === "exchange" ? "exchange_delivered_order_items" : "modify_pending_order_items",
    args: {
      item_ids: items.map((item) => item.item_id),
      new_item_ids: fresh.map((variant) => variant.item_id),
      payment_method_id: method.id,
    },
  });
}

const exchange: MakeWish = (maker) => swap("exchange", maker, ordersWith(maker, "delivered", isFresh)[0]);

const modifyItems: MakeWish = (maker) =>
  swap("modify-items", maker, ordersWith(maker, "pending", (order) => !order.items_modified)[0]);

const orderAddress: MakeWish = (maker) => {
  const [order] = ordersWith(maker, "pending");
  if (order === undefined) return undefined;
  const address = makeAddress(maker.rng);
  return action("order-address", maker, {
    order,
    details: [addressDetail(address)],
    name: "modify_pending_order_address",
    args: { ...address },
  });
};

const payment: MakeWish = (maker) => {
  const [order] = ordersWith(maker, "pending");
  if (order === undefined) return undefined;
  const total = orderTotalCents(order);
  const able = maker.user.payment_methods.filter(
    (method) => method.id !== originalMethod(order) && (method.source !== "gift_card" || method.balance_cents >= total),
  );
  const method = pick(able, maker.rng);
  if (method === undefined) return undefined;
  return action("payment", maker, {
    order,
    details: [paymentDetail(method)],
    name: "modify_pending_order_payment",
    args: { payment_method_id: method.id },
  });
};

const userAddress: MakeWish = (maker) => {
  const address = makeAddress(maker.rng);
  return {
    request: {
      kind: "action",
      ask: askFor("user-address", maker.rng),
      details: [addressDetail(address)],
      mentions: [address.zip],
    },
    reference: [{ name: "modify_user_address", arguments: { user_id: maker.user.user_id, ...address } }],
    outputs: [],
  };
};

export const WISHES = {
  cancel,
  return: returnItems,
  exchange,
  "modify-items": modifyItems,
  "order-address": orderAddress,
  payment,
  "user-address": userAddress,
} as const satisfies Record<Wish, MakeWish>;

// The sentences a generated customer speaks. Several ways to say each thing; facts always appear word for word.

type Detail = Scenario["requests"][number]["details"][number];

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

function addressDetail(address: Address): Detail {
  const { street, city, region, country, zip } = address;
  return detail("address", `The new address is ${street}, ${city}, ${region}, ${country}, ${zip}.`);
}

export function identityByEmail(user: User): string {
  return `My e-mail address is ${user.email}.`;
}

export function identityByName(user: User): string {
  return `My name is ${user.first_name} ${user.last_name} and my zip code is ${user.address.zip}.`;
}
