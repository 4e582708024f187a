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

test("a paired bootstrap worked by hand: two pairs have four resamples", () => {
  // Differences 0 and 1: the resamples (0,0), (0,1), (1,0), (1,1) have means 0, 0.5, 0.5, 1, a quarter each (0.5 twice).
  // Of 4,000 draws about 1,000 are 0 and 1,000 are 1, so the 2.5% and 97.5% percentiles are 0 and 1; 40% and 60% are 0.5.
  const pairs = (confidence: number) =>
    pairedBootstrap([3, 5], [3, 4], { rng: createRng(2), resamples: 4_000, confidence, method: "percentile" });
  expect(pairs(0.95)).toEqual({ difference: 0.5, low: 0, high: 1 });
  expect(pairs(0.2)).toEqual({ difference: 0.5, low: 0.5, high: 0.5 });
});

test("a paired bootstrap of ten seeds against the exact distribution of its resamples", () => {
  // Differences 1 to 10 (mean 5.5, population variance 8.25). A resampled mean has deviation sqrt(8.25 / 10) = 0.908295
  // and is nearly normal: 5.5 ± 1.959964 · 0.908295 = 3.7198 to 7.2802. Means move in tenths, so a tenth of slack.
  // Expanded: t(0.975, 9) sqrt(10 / 9) = 2.262157 · 1.054093 = 2.384524 deviations: 3.3342 to 7.6658.
  const right = [4, 4, 4, 4, 4, 4, 4, 4, 4, 4];
  const left = right.map((value, index) => value + index + 1);
  const of = (method: BootstrapMethod) =>
    pairedBootstrap(left, right, { rng: createRng(5), resamples: 20_000, method });
  const plain = of("percentile");
  expect(Math.abs(plain.low - 3.7198)).toBeLessThan(0.1);
  expect(Math.abs(plain.high - 7.2802)).toBeLessThan(0.1);
  const expanded = of("expanded");
  expect(Math.abs(expanded.low - 3.3342)).toBeLessThan(0.15);
  expect(Math.abs(expanded.high - 7.6658)).toBeLessThan(0.15);
  // No skew and no bias: BCa moves nothing, up to the noise of the draws.
  expect(Math.abs(of("bca").low - plain.low)).toBeLessThan(0.15);
});

test("BCa follows a skewed sample, and a studentised bootstrap is of the mean only", () => {
  const skewed = [0, 0, 0, 1, 1, 1, 2, 3, 5, 20];
  const of = (method: BootstrapMethod) => bootstrap(skewed, { rng: createRng(1), method });
  expect(of("bca").low).toBeGreaterThan(of("percentile").low);
  expect(of("bca").high).toBeGreaterThan(of("percentile").high);
  expect(of("studentised").high).toBeGreaterThan(of("bca").high);
  expect(() => bootstrap(skewed, { rng: createRng(1), method: "studentised", statistic: median })).toThrow(/take bca/);
});

test("units stay whole: a ratio of sums over pairs", () => {
  // Every unit has the ratio 2, so that every resample has; drawing the numbers apart would spread it.
  const units = [1, 2, 5, 9].map((size) => ({ tokens: 2 * size, steps: size }));
  const ratio = (sample: readonly { tokens: number; steps: number }[]): number =>
    sample.reduce((sum, { tokens }) => sum + tokens, 0) / sample.reduce((sum, { steps }) => sum + steps, 0);
  expect(bootstrapUnits(units, ratio, { rng: createRng(3) })).toEqual({ low: 2, high: 2 });
  expect(bootstrapUnits(units, ratio, { rng: createRng(3), method: "bca" })).toEqual({ low: 2, high: 2 });
});

test("coverage: the default covers a mean of ten in about 95 of 100 samples, plain percentiles in about 90", () => {
  // 500 simulations of a true 0.95 spread by sqrt(0.95 · 0.05 / 500) = 0.0097; three of those are 0.029. For the
  // percentiles (about 0.90 at n = 10) they are 0.040, so that 0.93 and 0.95 below keep the two apart.
  const rng = createRng("coverage of the bootstrap");
  const hits = { expanded: 0, percentile: 0, studentised: 0 };
  const methods = ["expanded", "percentile", "studentised"] as const;
  for (let simulation = 0; simulation < 500; simulation += 1) {
    const left = Array.from({ length: 10 }, () => 5 + rng.normal());
    const right = left.map((shared) => shared - 1 + rng.normal());
    for (const method of methods) {
      const { low, high } = pairedBootstrap(left, right, { rng, resamples: 300, method });
      if (low <= 1 && 1 <= high) hits[method] += 1;
    }
  }
  expect(hits.expanded / 500).toBeGreaterThan(0.95 - 0.029);
  expect(hits.expanded / 500).toBeLessThan(0.95 + 0.029);
  expect(hits.studentised / 500).toBeGreaterThan(0.95 - 0.029);
  expect(hits.percentile / 500).toBeLessThan(0.94);
});
