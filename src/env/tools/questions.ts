/** Wishes that change nothing: questions with one right answer, and the one that only a person can help with. */
import { pick, shuffle } from "../../base/index.ts";
import { dollars, orderTotalCents, type Order, type OrderItem } from "./retail.ts";
import type { Maker, MakeWish } from "./wishes.ts";

function question(ask: string, output: string): ReturnType<MakeWish> {
  return { request: { kind: "question", ask, details: [], mentions: [] }, reference: [], outputs: [output] };
}

function anyOrder(maker: Maker, fits: (order: Order) => boolean): Order | undefined {
  const orders = maker.user.orders.flatMap((id) => maker.database.order(id) ?? []);
  return pick(orders.filter(fits), maker.rng);
}

const anyItem = (maker: Maker, order: Order): OrderItem => pick(order.items, maker.rng) as OrderItem;

const total: MakeWish = (maker) => {
  const order = anyOrder(maker, () => true);
  if (order === undefined) return undefined;
  return question(
    `How much did I pay in total for the order with the ${anyItem(maker, order).name}?`,
    dollars(orderTotalCents(order)),
  );
};

const tracking: MakeWish = (maker) => {
  const order = anyOrder(maker, (candidate) => candidate.tracking !== null);
  if (order === undefined || order.tracking === null) return undefined;
  return question(`What is the tracking code of the order with the ${anyItem(maker, order).name}?`, order.tracking);
};

const giftBalance: MakeWish = (maker) => {
  const gift = maker.user.payment_methods.find((method) => method.source === "gift_card");
  return gift?.source === "gift_card"
    ? question("How much is left on my gift card?", dollars(gift.balance_cents))
    : undefined;
};

const cheapest: MakeWish = (maker) => {
  const product = pick([...maker.database.base.products.values()], maker.rng);
  const prices = product?.variants.filter((variant) => variant.available).map((variant) => variant.price_cents) ?? [];
  if (product === undefined || prices.length === 0) return undefined;
  return question(`What does the cheapest ${product.name} in stock cost?`, dollars(Math.min(...prices)));
};

const together: MakeWish = (maker) => {
  const order = anyOrder(maker, (candidate) => candidate.items.length >= 2);
  if (order === undefined) return undefined;
  const [first, second] = shuffle(order.items, maker.rng) as [OrderItem, OrderItem];
  return question(
    `How much were the ${first.name} and the ${second.name} in my order, taken together?`,
    dollars(first.price_cents + second.price_cents),
  );
};

export const QUESTIONS: readonly MakeWish[] = [total, tracking, giftBalance, cheapest, together];

export const handover: MakeWish = (maker) => {
  const order = anyOrder(maker, (candidate) => candidate.status === "delivered");
  if (order === undefined) return undefined;
  const { name } = anyItem(maker, order);
  const asks = [
    `The ${name} arrived damaged and hurt my hand; I want compensation for that.`,
    `I want to complain about how your driver behaved when the ${name} was delivered.`,
  ];
  return {
    request: { kind: "handover", ask: pick(asks, maker.rng) as string, details: [], mentions: [] },
    reference: [{ name: "transfer_to_human", arguments: { summary: "outside the scope of the tools" } }],
    outputs: [],
  };
};
