import { expect, test } from "vitest";
import { createRng } from "../rng.ts";
import { bootstrap, bootstrapUnits, pairedBootstrap, type BootstrapMethod } from "./bootstrap.ts";
import { mean, median } from "./summary.ts";

test("bootstrap intervals: equal values, the same seed, and paired noise that cancels", () => {
  const rng = () => createRng("bootstrap");
  expect(bootstrap([3, 3, 3], { rng: rng() })).toEqual({ low: 3, high: 3 });
  const values = Array.from({ length: 40 }, (_, index) => index % 7);
  const first = bootstrap(values, { rng: rng() });
  expect(bootstrap(values, { rng: rng() })).toEqual(first);
  expect(first.low < mean(values) && mean(values) < first.high).toBe(true);
  // Every pair differs by exactly 1, so the paired interval is a point although the values spread over 0 to 7.
  const better = values.map((value) => value + 1);
  expect(pairedBootstrap(better, values, { rng: rng() })).toEqual({ difference: 1, low: 1, high: 1 });
  expect(() => pairedBootstrap([1], [1, 2], { rng: rng() })).toThrow(/equal lengths; got 1 and 2/);
  expect(() => bootstrap([], { rng: rng() })).toThrow(/empty list/);
});

test("a bootstrap interval of a median uses the statistic it was given", () => {
  const interval = bootstrap([1, 1, 1, 1, 100], { rng: createRng(7), statistic: median });
  expect(interval.low).toBe(1);
});
