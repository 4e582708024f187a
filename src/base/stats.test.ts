import fc from "fast-check";
import { expect, test } from "vitest";
import { createRng } from "./rng.ts";
import {
  bootstrap,
  deviation,
  mean,
  median,
  normalQuantile,
  pairedBootstrap,
  quantile,
  sampleDeviation,
  sum,
  wilson,
} from "./stats.ts";

const finite = fc.double({ min: -1e6, max: 1e6, noNaN: true });

test("mean and both deviations of a list worked by hand", () => {
  // sum 40, n 8, mean 5; squared distances 9+1+1+1+0+0+4+16 = 32; 32/8 = 4, root 2; 32/7 = 4.571429, root 2.138090.
  const values = [2, 4, 4, 4, 5, 5, 7, 9];
  expect([sum(values), mean(values), deviation(values)]).toEqual([40, 5, 2]);
  expect(sampleDeviation(values)).toBeCloseTo(2.13809, 5);
});

test("statistics of nothing are not zero", () => {
  expect([mean([]), deviation([]), sampleDeviation([3]), median([])]).toEqual([NaN, NaN, NaN, NaN]);
});

test("quantiles interpolate between ranks", () => {
  // h = 3 * 0.25 = 0.75: 1 + 0.75 * (2 - 1) = 1.75. Median h = 1.5: 2 + 0.5 * (4 - 2) = 3. The ends are the extremes.
  expect([0, 0.25, 0.5, 1].map((q) => quantile([4, 1, 8, 2], q))).toEqual([1, 1.75, 3, 8]);
  expect(() => quantile([1], 1.5)).toThrow(/Quantile 1\.5 is outside 0 to 1/);
});

test("normal quantiles agree with the published table, in both tails and the middle", () => {
  expect(normalQuantile(0.5)).toBe(0);
  expect(normalQuantile(0.975)).toBeCloseTo(1.959964, 6);
  expect(normalQuantile(0.995)).toBeCloseTo(2.575829, 6);
  expect(normalQuantile(0.001)).toBeCloseTo(-3.090232, 6);
});

test("Wilson interval of 8 successes in 10 trials", () => {
  // z^2 = 3.841459; scale 1.384146; centre (0.8 + 0.192073) / 1.384146 = 0.716740;
  // half 1.959964 * sqrt(0.016 + 0.009604) / 1.384146 = 1.959964 * 0.160011 / 1.384146 = 0.226577.
  const { low, high } = wilson(8, 10);
  expect(low).toBeCloseTo(0.490162, 5);
  expect(high).toBeCloseTo(0.943317, 5);
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
  expect(wilson(0, 5).low).toBe(0);
  expect(wilson(5, 5).high).toBe(1);
  expect(() => wilson(3, 2)).toThrow(/3 successes of 2 trials/);
});

test("a Wilson interval holds the share and narrows as trials grow", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(), (trials, draw) => {
      const successes = draw % (trials + 1);
      const one = wilson(successes, trials);
      const ten = wilson(successes * 10, trials * 10);
      const share = successes / trials;
      expect(one.low <= share && share <= one.high).toBe(true);
      expect(ten.high - ten.low).toBeLessThan(one.high - one.low);
    }),
  );
});

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

test("quantiles never leave the range and never fall as q rises", () => {
  fc.assert(
    fc.property(fc.array(finite, { minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (values, q) => {
      const at = quantile(values, q);
      expect(at >= Math.min(...values) && at <= Math.max(...values)).toBe(true);
      expect(quantile(values, Math.min(1, q + 0.1)) >= at - 1e-9).toBe(true);
    }),
  );
});
