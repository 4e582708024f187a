/**
 * Makes a shop from a seed: products with variants, users, orders.
 *
 * Splits are disjoint by construction: the number in every user and order id leaves the split's own remainder when
 * divided by `SPLIT_MODULUS`, so no user or order of one split exists in another.
 */
import { z } from "zod";
import { createRng, pick, shuffle, type Rng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { words, worldTable } from "limbeck-core/env/world-data";
import { createBase, type BaseRows } from "./database.ts";
import { digest } from "./canonical.ts";
import type { Address, Order, OrderItem, OrderStatus, PaymentMethod, Product, User, Variant } from "./retail.ts";

export const SPLIT_MODULUS = 4;
export const USERS_PER_SHOP = 64;
/** Ids have four digits and a fixed remainder, so there are only so many. */
export const MAX_USERS = 1_000;

export interface ShopSeed {
  readonly seed: number;
  /** The remainder of every id number; which split the shop belongs to. */
  readonly remainder: number;
  /** Default: 64. */
  readonly users?: number;
}

/** Every user has these three orders and sometimes a fourth, so that each kind of request finds one. */
const STATUSES: readonly OrderStatus[] = ["pending", "delivered", "processed"];
const RETURN_DAYS_SPREAD = 60;

/**
 * Customers, orders and products, made up from a seed.
 *
 * @example
 * console.log(generateShop({ seed: 1, remainder: 0, users: 5 }).users.size); // 5
 */
export function generateShop(shop: ShopSeed): BaseRows {
  const { seed, remainder, users: size = USERS_PER_SHOP } = shop;
  if (!(size >= 1 && size <= MAX_USERS)) {
    throw new EngineError("bad-option", `A shop of ${size} users cannot be made; give 1 to ${MAX_USERS}.`);
  }
  const rng = createRng(`tools shop ${remainder} ${seed} ${size}`);
  const ids = idSource(rng, remainder);
  const products = shopWords().goods.map((goods) => makeProduct(goods, rng, ids));
  const users: User[] = [];
  const orders: Order[] = [];
  for (let index = 0; index < size; index += 1) {
    const user = makeUser(rng, ids);
    const statuses = [...STATUSES, ...(rng.float() < 0.5 ? [pick(STATUSES, rng) as OrderStatus] : [])];
    const own = makeOrders(user, shuffle(statuses, rng), { rng, ids, products });
    users.push({ ...user, orders: own.map((order) => order.order_id) });
    orders.push(...own);
  }
  return createBase(digest(`shop ${remainder} ${seed} ${size}`), { users, orders, products });
}

interface Ids {
  user(): number;
  order(): string;
  item(): string;
  product(): string;
}

function idSource(rng: Rng, remainder: number): Ids {
  const taken = new Set<number>();
  const fresh = (low: number, high: number, step: number, offset: number): number => {
    for (;;) {
      const value = low + rng.int(Math.floor((high - low) / step)) * step + offset;
      if (taken.has(value)) continue;
      taken.add(value);
      return value;
    }
  };
  return {
    user: () => fresh(1_000, 10_000, SPLIT_MODULUS, remainder),
    order: () => `#W${fresh(1_000_000, 10_000_000, SPLIT_MODULUS, remainder)}`,
    item: () => String(fresh(1_000_000_000, 2_000_000_000, 1, 0)),
    product: () => String(fresh(4_000_000_000, 5_000_000_000, 1, 0)),
  };
}

function makeProduct(goods: Goods, rng: Rng, ids: Ids): Product {
  const combinations = Object.entries(goods.options).reduce<Record<string, string>[]>(
    (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
  // Prices differ inside a product, so that a wrong variant is a wrong amount too.
  const variants: Variant[] = combinations.map((options, index) => ({
    item_id: ids.item(),
    options,
    price_cents: goods.cents + index * 135 + rng.int(90),
    available: rng.float() < 0.75,
  }));
  // At least three to choose from, or an exchange could find none.
  for (const index of [0, 1, variants.length - 1])
    variants[index] = { ...(variants[index] as Variant), available: true };
  return { product_id: ids.product(), name: goods.name, variants };
}

export function makeAddress(rng: Rng): Address {
  const { cities, streets, country } = shopWords();
  const [city, region] = pick(cities, rng) as [string, string];
  return {
    street: `${1 + rng.int(199)} ${pick(streets, rng)}`,
    city,
    region,
    country,
    zip: String(10_000 + rng.int(90_000)),
  };
}

function makeUser(rng: Rng, ids: Ids): User {
  const first = pick(shopWords().firstNames, rng) as string;
  const last = pick(shopWords().lastNames, rng) as string;
  const number = ids.user();
  const stem = `${first.toLowerCase()}_${last.toLowerCase()}`;
  return {
    user_id: `${stem}_${number}`,
    first_name: first,
    last_name: last,
    email: `${first.toLowerCase()}.${last.toLowerCase()}${number}@example.com`,
    address: makeAddress(rng),
    payment_methods: makeMethods(rng, number),
    orders: [],
  };
}

/** One or two cards, always one gift card, sometimes PayPal; last digits differ within a user. */
function makeMethods(rng: Rng, number: number): PaymentMethod[] {
  const lastFour = 1_000 + rng.int(4_000);
  const cards = Array.from({ length: 1 + rng.int(2) }, (_, index): PaymentMethod => ({
    id: `credit_card_${number}${index}`,
    source: "credit_card",
    brand: pick(shopWords().cardBrands, rng) as string,
    last_four: String(lastFour + index * 4_321),
  }));
  const gift: PaymentMethod = { id: `gift_card_${number}`, source: "gift_card", balance_cents: 500 + rng.int(9_500) };
  const paypal: PaymentMethod[] = rng.float() < 0.6 ? [{ id: `paypal_${number}`, source: "paypal" }] : [];
  return [...cards, ...paypal, gift];
}

/** Products differ over all orders of a user, so that a product's name points at one order and one item. */
function makeOrders(
  user: User,
  statuses: readonly OrderStatus[],
  world: { readonly rng: Rng; readonly ids: Ids; readonly products: readonly Product[] },
): Order[] {
  const { rng, ids } = world;
  const goods = shuffle(world.products, rng);
  const payers = user.payment_methods.filter((method) => method.source !== "gift_card");
  return statuses.map((status) => {
    const items = goods
      .splice(0, 1 + rng.int(3))
      .map((product) => orderItem(product, pick(product.variants, rng) as Variant));
    const total = items.reduce((sum, item) => sum + item.price_cents, 0);
    return {
      order_id: ids.order(),
      user_id: user.user_id,
      status,
      address: rng.float() < 0.7 ? user.address : makeAddress(rng),
      items,
      payments: [{ kind: "payment", amount_cents: total, payment_method_id: (pick(payers, rng) as PaymentMethod).id }],
      items_modified: status === "pending" && rng.float() < 0.2,
      delivered_days_ago: status === "delivered" ? 1 + rng.int(RETURN_DAYS_SPREAD) : null,
      tracking: status === "pending" ? null : `TR${100_000 + rng.int(900_000)}`,
      cancel_reason: null,
      returned_items: [],
      exchanged_items: [],
    };
  });
}

export function orderItem(product: Product, variant: Variant): OrderItem {
  return {
    item_id: variant.item_id,
    product_id: product.product_id,
    name: product.name,
    options: variant.options,
    price_cents: variant.price_cents,
  };
}

// The words the generator draws from: people, places and goods. All invented or everyday.

/** With options and a price to start from, in cents. */
const goods = z.strictObject({ name: z.string(), cents: z.int(), options: z.record(z.string(), words) }).readonly();
type Goods = z.output<typeof goods>;

const shopWords = worldTable(
  "tools.json",
  z.strictObject({
    firstNames: words,
    lastNames: words,
    streets: words,
    /** Cities with their regions. */
    cities: z.record(z.string(), z.string()).transform((cities) => Object.entries(cities)),
    country: z.string(),
    cardBrands: words,
    goods: z.array(goods).readonly(),
  }),
);
