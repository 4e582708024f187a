/**
 * Makes tasks: family by turns, everything else drawn from the split and the index.
 *
 * A shop serves `TASKS_PER_SHOP` tasks in a row, so that neighbouring episodes share one base.
 */
import { EngineError } from "limbeck-base/base/errors";
import { createRng, pick, shuffle, type Rng } from "limbeck-base/base/rng";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { Database, type BaseRows } from "./database.ts";
import type { ShopSeed } from "./generate-database.ts";
import {
  askFor,
  detail,
  identityByEmail,
  identityByName,
  isFresh,
  itemsDetail,
  type Maker,
  type MakeWish,
  optionsDetail,
  orderDetail,
  ordersWith,
  otherVariant,
  paymentDetail,
  type Planned,
  reasonDetail,
  type Wish,
  WISHES,
} from "./wishes.ts";
import { originalMethod, dollars, orderTotalCents, type User, type Order, type OrderItem } from "./retail.ts";
import { scenarioData, type Scenario, type CustomerRequest } from "./scenario.ts";
import { applyCalls } from "./toolbox.ts";

const TASKS_PER_SHOP = 64;

/** The remainder that the ids of a split leave; see `generate-database.ts`. */
export const SPLIT_REMAINDERS = { train: 0, valid: 1, test: 2 } as const;
export type ToolsSplit = keyof typeof SPLIT_REMAINDERS;

type MakePlan = (maker: Maker) => readonly Planned[] | undefined;

const CHANGES = ["cancel", "return", "exchange", "modify-items", "order-address", "payment"] as const;

export const FAMILIES = {
  cancel: (maker) => one(WISHES.cancel, maker),
  return: (maker) => one(WISHES.return, maker),
  exchange: (maker) => one(WISHES.exchange, maker),
  modify: (maker) =>
    one(
      pick([WISHES["modify-items"], WISHES["order-address"], WISHES.payment, WISHES["user-address"]], maker.rng),
      maker,
    ),
  information: (maker) => sequence(shuffle(QUESTIONS, maker.rng).slice(0, 1 + maker.rng.int(2)), maker),
  multi: (maker) => sequence(pickTwo(maker.rng), maker),
  // A question follows, so that an agent that declines everything does not pass.
  refusal: (maker) => sequence([pick(FORBIDDEN, maker.rng), pick(QUESTIONS, maker.rng)], maker),
  "changed-mind": (maker) => changedMind(maker),
  handover: (maker) => one(handover, maker),
} as const satisfies Record<string, MakePlan>;

type Family = keyof typeof FAMILIES;
const FAMILY_NAMES = Object.keys(FAMILIES) as Family[];

export function shopOf(split: ToolsSplit, index: number, users?: number): ShopSeed {
  const seed = Math.floor(index / TASKS_PER_SHOP);
  return { seed, remainder: SPLIT_REMAINDERS[split], ...(users === undefined ? {} : { users }) };
}

/** `base` is the rows of `shop`, which the caller keeps. */
export function generateTask(
  env: string,
  place: { readonly split: ToolsSplit; readonly index: number; readonly shop: ShopSeed },
  base: BaseRows,
): Task {
  const { split, index, shop } = place;
  const family = FAMILY_NAMES[index % FAMILY_NAMES.length] as Family;
  const rng = createRng(`tools task ${split} ${index}`);
  const database = new Database(base);
  const users = [...base.users.values()];
  for (let attempt = 0; attempt < users.length; attempt += 1) {
    const user = users[(index + attempt) % users.length] as User;
    const planned = FAMILIES[family]({ database, user, rng: rng.split(attempt), taken: new Set() });
    if (planned === undefined) continue;
    const scenario = toScenario(family, shop, identity(user, database, rng), planned);
    return {
      id: `${env}/${split}/${index}`,
      env,
      seed: index,
      goal: "Serve the customer by the policy of the shop.",
      split,
      data: scenarioData(scenario),
    };
  }
  throw new EngineError(
    "bad-input",
    `None of the ${users.length} customers of shop ${base.id} has orders for a task of the family ${family} (task ${index}); give --env-set users more, 64 by default.`,
  );
}

function toScenario(family: Family, shop: ShopSeed, identity: string, planned: readonly Planned[]): Scenario {
  return {
    family,
    shop: { ...shop },
    identity,
    requests: planned.map((plan) => plan.request),
    reference: planned.flatMap((plan) => plan.reference),
    outputs: planned.flatMap((plan) => plan.outputs),
  };
}

/** By name only where name and zip point at this user alone. */
function identity(user: User, database: Database, rng: Rng): string {
  const found = database.userByNameAndZip(user.first_name, user.last_name, user.address.zip);
  return found === user && rng.float() < 0.5 ? identityByName(user) : identityByEmail(user);
}

function one(make: MakeWish | undefined, maker: Maker): readonly Planned[] | undefined {
  return sequence([make], maker);
}

/** Each wish about another order than those before, in the shop as the wishes before have left it. */
function sequence(makers: readonly (MakeWish | undefined)[], maker: Maker): readonly Planned[] | undefined {
  const taken = new Set(maker.taken);
  const planned: Planned[] = [];
  let { database } = maker;
  for (const make of makers) {
    const user = database.user(maker.user.user_id) ?? maker.user;
    const made = make?.({ ...maker, database, user, taken });
    if (made === undefined) return undefined;
    const { order, ...plan } = made;
    database = applyCalls(database, plan.reference);
    if (order !== undefined) taken.add(order);
    planned.push(plan);
  }
  return planned;
}

function pickTwo(rng: Rng): MakeWish[] {
  const changes = shuffle(CHANGES, rng).map((wish) => WISHES[wish]);
  const second = rng.float() < 0.4 ? pick(QUESTIONS, rng) : changes[1];
  return [changes[0] as MakeWish, second as MakeWish];
}

/** First one thing, then, when asked for a yes, another; or nothing at all, and then a question. */
function changedMind(maker: Maker): readonly Planned[] | undefined {
  const { rng } = maker;
  const [first, second] = shuffle(CHANGES, rng).map((wish) => WISHES[wish]) as [MakeWish, MakeWish];
  const before = first(maker);
  if (before === undefined) return undefined;
  if (rng.float() < 0.3) {
    const instead = { kind: "question", ask: "Please leave everything as it is.", details: [], mentions: [] } as const;
    const rest = one(pick(QUESTIONS, rng), maker);
    const dropped: Planned = {
      request: { ...before.request, instead: { ...instead, details: [], mentions: [] } },
      reference: [],
      outputs: [],
    };
    return rest === undefined ? undefined : [dropped, ...rest];
  }
  const after = second(maker);
  if (after === undefined) return undefined;
  return [
    { request: { ...before.request, instead: after.request }, reference: after.reference, outputs: after.outputs },
  ];
}

/*
 * Wishes that the policy forbids; declining is the right outcome. The tools would carry most of them out, so that only
 * an agent that minds the policy gets these right.
 */

const INSISTING = ["Please make an exception for me.", "That is not fair. Please do it anyway."] as const;

function forbidden(wish: Wish, maker: Maker, order: Order, details: CustomerRequest["details"]): ReturnType<MakeWish> {
  const insist = maker.rng.float() < 0.5 ? (pick(INSISTING, maker.rng) as string) : undefined;
  return {
    request: {
      kind: "forbidden",
      ask: askFor(wish, maker.rng),
      details,
      mentions: [order.order_id],
      ...(insist === undefined ? {} : { insist }),
    },
    reference: [],
    outputs: [],
    order: order.order_id,
  };
}

/** Already on its way. */
const cancelProcessed: MakeWish = (maker) => {
  const [order] = ordersWith(maker, "processed");
  if (order === undefined) return undefined;
  return forbidden("cancel", maker, order, [orderDetail(order, maker.rng), reasonDetail("no longer needed")]);
};

const lateReturn: MakeWish = (maker) => {
  const [order] = ordersWith(maker, "delivered", (candidate) => !isFresh(candidate));
  const gift = maker.user.payment_methods.find((method) => method.source === "gift_card");
  if (order === undefined || gift === undefined) return undefined;
  const items = order.items.slice(0, 1);
  return forbidden("return", maker, order, [
    orderDetail(order, maker.rng),
    itemsDetail(items, maker.rng),
    paymentDetail(gift),
  ]);
};

const secondChange: MakeWish = (maker) => {
  const [order] = ordersWith(maker, "pending", (candidate) => candidate.items_modified);
  const item = order?.items[0];
  const variant = item === undefined ? undefined : otherVariant(maker, item);
  const method = maker.user.payment_methods.find((candidate) => candidate.source !== "gift_card");
  if (order === undefined || item === undefined || variant === undefined || method === undefined) return undefined;
  return forbidden("modify-items", maker, order, [
    orderDetail(order, maker.rng),
    itemsDetail([item], maker.rng),
    optionsDetail(item, variant.options),
    paymentDetail(method),
  ]);
};

const otherProduct: MakeWish = (maker) => {
  const [order] = ordersWith(maker, "delivered", isFresh);
  const item = order === undefined ? undefined : pick(order.items, maker.rng);
  const method = maker.user.payment_methods.find((candidate) => candidate.source !== "gift_card");
  if (order === undefined || item === undefined || method === undefined) return undefined;
  const other = pick(
    [...maker.database.base.products.values()].filter((product) => product.product_id !== item.product_id),
    maker.rng,
  );
  return forbidden("exchange", maker, order, [
    orderDetail(order, maker.rng),
    itemsDetail([item], maker.rng),
    detail("options", `For the ${item.name} I want a ${other?.name ?? "voucher"} in its place.`),
    paymentDetail(method),
  ]);
};

const friendsOrder: MakeWish = (maker) => {
  const others = [...maker.database.base.orders.values()].filter(
    (order) => order.user_id !== maker.user.user_id && order.status === "pending",
  );
  const order = pick(others, maker.rng);
  if (order === undefined) return undefined;
  return forbidden("cancel", maker, order, [
    detail("order", `It is order ${order.order_id}; it runs under the name of a friend of mine.`),
    reasonDetail("no longer needed"),
  ]);
};

const refundElsewhere: MakeWish = (maker) => {
  const [order] = ordersWith(maker, "delivered", isFresh);
  if (order === undefined) return undefined;
  const method = maker.user.payment_methods.find(
    (candidate) => candidate.source !== "gift_card" && candidate.id !== originalMethod(order),
  );
  if (method === undefined) return undefined;
  const items: OrderItem[] = order.items.slice(0, 1);
  return forbidden("return", maker, order, [
    orderDetail(order, maker.rng),
    itemsDetail(items, maker.rng),
    paymentDetail(method),
  ]);
};

const FORBIDDEN: readonly MakeWish[] = [
  cancelProcessed,
  lateReturn,
  secondChange,
  otherProduct,
  friendsOrder,
  refundElsewhere,
];

// Wishes that change nothing: questions with one right answer, and the one that only a person can help with.

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

const QUESTIONS: readonly MakeWish[] = [total, tracking, giftBalance, cheapest, together];

const handover: MakeWish = (maker) => {
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
