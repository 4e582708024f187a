import fc from "fast-check";
import { expect, test } from "vitest";
import { divergence, type DivergenceMetric } from "../rose.ts";

const two = (cosine: number) => ({ probabilities: [0.6, 0.4], cosine: () => cosine });

test("the published metric and the safe one, two alternatives", () => {
  // H = 0.6 * 0.510826 + 0.4 * 0.916291 = 0.673012; sum over both orders of p q = 0.48.
  expect(divergence(two(0.9), "entropy")).toBeCloseTo(0.673012, 6);
  expect(divergence(two(0.9), "source")).toBeCloseTo(-0.290741, 6);
  expect(divergence(two(0.9), "safe")).toBeCloseTo(0.032305, 6);
  expect(divergence(two(0.1), "safe")).toBeCloseTo(0.290741, 6);
  expect(divergence(two(0.9), "cosine")).toBeCloseTo(-0.432, 12);
});

test("fewer than two alternatives lead nowhere else", () => {
  for (const metric of ["safe", "entropy", "cosine", "source"] satisfies DivergenceMetric[]) {
    expect(divergence({ probabilities: [1] }, metric)).toBe(0);
    expect(divergence({ probabilities: [] }, metric)).toBe(0);
  }
});

test("the safe metric is never below 0, and a certain token never wins", () => {
  const shares = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(shares, fc.double({ min: -1, max: 1, noNaN: true }), (raw, cosine) => {
      const total = raw.reduce((sum, value) => sum + value, 0);
      const probabilities = raw.map((value) => value / total);
      expect(divergence({ probabilities, cosine: () => cosine }, "safe")).toBeGreaterThanOrEqual(0);
    }),
  );
  expect(divergence({ probabilities: [1, 0] }, "safe")).toBe(0);
});
