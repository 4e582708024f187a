import { expect, test } from "vitest";
import { createRng } from "../rng.ts";
import { tInterval, tQuantile, tTest } from "./student-t.ts";

test("quantiles agree with the published table", () => {
  const table = [
    [1, 12.706205],
    [2, 4.302653],
    [4, 2.776445],
    [9, 2.262157],
    [30, 2.042272],
    [1_000, 1.962339],
  ] as const;
  for (const [freedom, t] of table) {
    expect(tQuantile(0.975, freedom)).toBeCloseTo(t, 5);
    expect(tQuantile(0.025, freedom)).toBeCloseTo(-t, 5);
    expect(tTest(t, freedom)).toBeCloseTo(0.05, 6);
  }
  // One degree of freedom is Cauchy's distribution: p = 1 - 2 atan(t) / pi; t = 1 gives exactly 1/2.
  expect(tTest(1, 1)).toBeCloseTo(0.5, 12);
  expect(tQuantile(0.5, 3)).toBe(0);
  expect(() => tQuantile(1, 3)).toThrow(/0 < p < 1/);
});

test("interval and test worked by hand", () => {
  // Mean 3, s = sqrt(10 / 4) = 1.581139, error 0.707107; t(0.975, 4) = 2.776445: half 1.963243.
  // t = 3 / 0.707107 = 4.242641; for four degrees p = 1 - (3/2) x (1 - x^2 / 3), x = t / sqrt(4 + t^2) = 0.904534:
  // 1 - 1.356801 · 0.727273 = 0.013236.
  const { mean, low, high, p, count } = tInterval([1, 2, 3, 4, 5]);
  expect([mean, count]).toEqual([3, 5]);
  expect(low).toBeCloseTo(1.036757, 5);
  expect(high).toBeCloseTo(4.963243, 5);
  expect(p).toBeCloseTo(0.013236, 5);
});

test("one value proves nothing, and equal values no more than their signs", () => {
  expect(tInterval([0.4])).toEqual({ mean: 0.4, low: -Infinity, high: Infinity, p: 1, count: 1 });
  // Three times +0.25: a coin does that, or its opposite, in 2 of 8 cases.
  expect(tInterval([0.25, 0.25, 0.25])).toMatchObject({ low: 0.25, high: 0.25, p: 0.25 });
  expect(tInterval([0.1, 0.1, 0.1]).p).toBe(0.25);
  expect(tInterval([0, 0]).p).toBe(1);
});

test("coverage: 95 of 100 normal samples of any size, and p below 0.05 in 5 of 100 without a difference", () => {
  // 2,000 simulations spread by sqrt(0.95 · 0.05 / 2000) = 0.0049; three of those are 0.015.
  for (const size of [3, 5, 10]) {
    const rng = createRng(`coverage of t ${size}`);
    let [hits, found] = [0, 0];
    for (let simulation = 0; simulation < 2_000; simulation += 1) {
      const { low, high, p } = tInterval(Array.from({ length: size }, () => rng.normal()));
      if (low <= 0 && 0 <= high) hits += 1;
      if (p < 0.05) found += 1;
    }
    expect(Math.abs(hits / 2_000 - 0.95)).toBeLessThan(0.015);
    expect(found).toBe(2_000 - hits);
  }
});
