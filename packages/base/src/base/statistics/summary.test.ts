import fc from "fast-check";
import { expect, test } from "vitest";
import { deviation, mean, median, quantile, sampleDeviation, sum } from "./summary.ts";

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

test("quantiles never leave the range and never fall as q rises", () => {
  fc.assert(
    fc.property(fc.array(finite, { minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (values, q) => {
      const at = quantile(values, q);
      expect(at >= Math.min(...values) && at <= Math.max(...values)).toBe(true);
      expect(quantile(values, Math.min(1, q + 0.1)) >= at - 1e-9).toBe(true);
    }),
  );
});
