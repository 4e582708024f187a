import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { clipCov } from "./clip-cov.ts";

// Means A 0, log p -1: covariances 2 * 0.9 = 1.8, -1 * -1 = 1, 0, -1 * 0.1 = -0.1. Ratios are 1.
const now = [-0.1, -2, -1, -0.9];
const row = { now, oldLogprobs: now, advantages: [2, -1, 0, -1] };

test("only covariances inside the bounds are eligible, and at least one token is silenced", () => {
  // Losses -2, 1, 0, 1 without; token 0 (1.8) silenced: (0 + 1 + 0 + 1) / 4. Token 1 has exactly 1: not inside.
  const { loss, slopes, metrics } = computeRows(clipCov.create(), [row]);
  expect(loss).toBeCloseTo(0.5, 12);
  expect(slopes).toEqual([[0, 0.25, -0, 0.25]]);
  expect(metrics["covarianceClipFraction"]).toBe(0.25);
});

test("nothing eligible, nothing silenced", () => {
  expect(computeRows(clipCov.create({ covarianceLow: 2 }), [row]).loss).toBeCloseTo(0, 12);
  const flat = { ...row, advantages: [1, 1, 1, 1] };
  expect(computeRows(clipCov.create(), [flat]).loss).toBeCloseTo(-1, 12);
});

test("tokens that the ratio clips already are left to it", () => {
  // Old -0.5 at token 0: ratio e^0.4 = 1.49, clipped; so it keeps its loss -2 * 1.2 = -2.4.
  const moved = { ...row, oldLogprobs: [-0.5, -2, -1, -0.9] };
  expect(computeRows(clipCov.create(), [moved]).loss).toBeCloseTo((-2.4 + 1 + 1) / 4, 12);
});

test("the share of the batch, and another draw with another seed", () => {
  const many = { now: [-0.1, -0.2, -0.3, -3, -3, -3], advantages: [3, 3, 3, -3, -3, -3] };
  const batch = [{ ...many, oldLogprobs: many.now }];
  const silenced = (options: object) => {
    const { slopes } = computeRows(clipCov.create({ covarianceHigh: 50, ...options }), batch);
    return slopes[0]!.flatMap((slope, token) => (slope === 0 ? [token] : []));
  };
  expect(silenced({ share: 0.5 })).toHaveLength(3);
  expect(silenced({ share: 0 })).toEqual([]);
  const draws = new Set([0, 1, 2, 3, 4].map((seed) => silenced({ seed }).join()));
  expect(draws.size).toBeGreaterThan(1);
});

test("bounds in the wrong order are refused", () => {
  expect(() => clipCov.create({ covarianceLow: 5, covarianceHigh: 1 })).toThrow(
    /covarianceLow of clip-cov is 5; it takes below covarianceHigh/,
  );
});

publishedObjective("clip-cov", clipCov);
