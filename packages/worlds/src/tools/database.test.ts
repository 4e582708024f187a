import { describe, expect, test } from "vitest";
import { HOME, smallShop } from "../../../../test/support/small-shop.ts";
import { canonicalJson } from "./canonical.ts";
import { Database } from "./database.ts";
import { generateShop, SPLIT_MODULUS, USERS_PER_SHOP } from "./generate-database.ts";
import type { Order, User } from "./retail.ts";

const orderOf = (database: Database, id: string): Order => database.order(id)!;

describe("the hash", () => {
  test("does not see the order of keys or of writes", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "x" }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}');
    const start = smallShop();
    const one = { ...orderOf(start, "#W1"), tracking: "A" };
    const two = { ...orderOf(start, "#W2"), tracking: "B" };
    expect(start.withOrder(one).withOrder(two).hash).toBe(start.withOrder(two).withOrder(one).hash);
  });
  test("forgets a change that was taken back, and sees every other", () => {
    const start = smallShop();
    const changed = start.withOrder({ ...orderOf(start, "#W1"), address: { ...HOME, zip: "9" } });
    expect(changed.hash).not.toBe(start.hash);
    expect(changed.withOrder(orderOf(start, "#W1")).hash).toBe(start.hash);
  });
  test("a write leaves the database it came from as it was", () => {
    const start = smallShop();
    const before = start.hash;
    start.withUser({ ...(start.user("ada_dorn_1000") as User), first_name: "X" });
    expect([start.hash, start.user("ada_dorn_1000")?.first_name]).toEqual([before, "Ada"]);
    expect(new Database(start.base).hash).toBe(before);
  });
});

describe("the generated shop", () => {
  test("is the same every time and another for another seed", () => {
    const [one, two, other] = [0, 0, 1].map((seed) => generateShop({ seed, remainder: 0 }));
    expect(JSON.stringify([...one!.orders.values()])).toBe(JSON.stringify([...two!.orders.values()]));
    expect(JSON.stringify([...one!.users.keys()])).not.toBe(JSON.stringify([...other!.users.keys()]));
  });
  test("has sound rows: owners, products, amounts, unique products within a customer", () => {
    const shop = generateShop({ seed: 3, remainder: 1 });
    expect(shop.users.size).toBe(USERS_PER_SHOP);
    for (const user of shop.users.values()) {
      const orders = user.orders.map((id) => shop.orders.get(id)!);
      const names = orders.flatMap((order) => order.items.map((item) => item.name));
      expect(new Set(names).size).toBe(names.length);
      for (const order of orders) {
        expect(order.user_id).toBe(user.user_id);
        expect(order.payments[0]?.amount_cents).toBe(order.items.reduce((sum, item) => sum + item.price_cents, 0));
        expect(user.payment_methods.map((method) => method.id)).toContain(order.payments[0]?.payment_method_id);
        for (const item of order.items) {
          const variant = shop.products.get(item.product_id)?.variants.find(({ item_id: id }) => id === item.item_id);
          expect(variant?.price_cents).toBe(item.price_cents);
        }
      }
    }
  });
  test("splits share no customer and no order: their numbers leave other remainders", () => {
    for (const remainder of [0, 1, 2]) {
      for (const seed of [0, 1, 2, 3]) {
        const shop = generateShop({ seed, remainder });
        const numbers = [...shop.users.keys(), ...shop.orders.keys()].map((id) => Number(/\d+$/.exec(id)?.[0]));
        expect(new Set(numbers.map((number) => number % SPLIT_MODULUS))).toEqual(new Set([remainder]));
      }
    }
  });
});
