import { expect, test } from "vitest";
import { createRng, LARGEST_ORDER, shuffledOrder } from "./rng.ts";

test.each([1, 2, 7, 65_536, 65_537, 262_144, 300_001])("of %i places each is there once", (size) => {
  const order = shuffledOrder(size, createRng(3));
  const seen = new Uint8Array(size);
  for (let place = 0; place < size; place += 1) {
    const found = order(place);
    seen[found] = (seen[found] as number) + 1;
  }
  expect(seen.every((times) => times === 1)).toBe(true);
});

test("a large order is spread evenly: of 16 parts, 10,000 places meet each 625 times, give or take 5 deviations", () => {
  for (const size of [1e9, LARGEST_ORDER]) {
    const order = shuffledOrder(size, createRng("even"));
    const parts = new Uint32Array(16);
    for (let place = 0; place < 10_000; place += 1) {
      const part = Math.floor((order(place) / size) * 16);
      parts[part] = (parts[part] as number) + 1;
    }
    // The deviation of a count is sqrt(10,000 * 1/16 * 15/16) = 24.2.
    for (const count of parts) expect(Math.abs(count - 625)).toBeLessThan(121);
  }
});

test("seeds differ, and the same seed is the same order", () => {
  const first = (seed: number): number[] => {
    const order = shuffledOrder(1e12, createRng(seed));
    return [0, 1, 2].map(order);
  };
  expect(first(1)).toEqual(first(1));
  expect(first(1)).not.toEqual(first(2));
});
