import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { policyGradient } from "./policy-gradient.ts";

test("advantage times log-probability", () => {
  // -(2 * -0.5) = 1 and -(-1 * -0.25) = -0.25; mean 0.375. Slopes -2 / 2 and 1 / 2.
  const row = { now: [-0.5, -0.25], advantages: [2, -1] };
  const { loss, slopes } = computeRows(policyGradient.create(), [row]);
  expect(loss).toBeCloseTo(0.375, 12);
  expect(slopes).toEqual([[-1, 0.5]]);
});

test("with the ratio as a constant weight", () => {
  // r = 3, not clipped: -3 * 2 * ln 3, slope -6.
  const row = { now: [Math.log(3)], oldLogprobs: [0], advantages: [2] };
  const { loss, slopes } = computeRows(policyGradient.create({ ratio: true }), [row]);
  expect(loss).toBeCloseTo(-6 * Math.log(3), 12);
  expect(slopes[0]?.[0]).toBeCloseTo(-6, 12);
});

test("only the form without ratio has weights that are known beforehand", () => {
  expect(policyGradient.create().constantWeights).toBe(true);
  expect(policyGradient.create({ ratio: true }).constantWeights).toBeUndefined();
});

test("tau divides the loss, as mirror descent has it", () => {
  // -2 * -0.5 / (1 + 1) = 0.5
  const { loss, slopes } = computeRows(policyGradient.create({ tau: 1 }), [{ now: [-0.5], advantages: [2] }]);
  expect(loss).toBeCloseTo(0.5, 12);
  expect(slopes).toEqual([[-1]]);
});

publishedObjective("policy-gradient", policyGradient);
