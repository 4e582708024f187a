import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { klCov } from "./kl-cov.ts";

// Covariances 1.8, 1, 0, -0.1 as for Clip-Cov; token 0 is the largest. It moved by 0.5, the others not.
const row = { now: [-0.1, -2, -1, -0.9], oldLogprobs: [-0.6, -2, -1, -0.9], advantages: [2, -1, 0, -1] };

test("the largest covariance is pulled back", () => {
  // -2 * e^0.5 = -3.297443, + 1 * 0.5; then 1, 0, 1: (-3.297443 + 0.5 + 2) / 4 = -0.199361.
  const { loss, slopes, metrics } = computeRows(klCov.create(), [row]);
  expect(loss).toBeCloseTo(-0.199361, 6);
  // (-3.297443 + 1) / 4
  expect(slopes[0]![0]).toBeCloseTo(-0.574361, 6);
  expect(metrics["pulledFraction"]).toBe(0.25);
});

test("with the coefficient of the shipped configuration", () => {
  // (-3.297443 + 0.05 + 2) / 4
  expect(computeRows(klCov.create({ coefficient: 0.1 }), [row]).loss).toBeCloseTo(-0.311861, 6);
});

test("equal advantages: still one token is chosen", () => {
  const flat = { ...row, advantages: [1, 1, 1, 1] };
  expect(computeRows(klCov.create(), [flat]).metrics["pulledFraction"]).toBe(0.25);
  expect(computeRows(klCov.create({ share: 0.5 }), [flat]).metrics["pulledFraction"]).toBe(0.5);
});

publishedObjective("kl-cov", klCov);
