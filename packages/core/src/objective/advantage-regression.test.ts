import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { advantageRegression } from "./advantage-regression.ts";

test("squared distance of the scaled log-ratio from the advantage", () => {
  // beta 0.5: 0.5 * (0.2 + 0.4) = 0.3; 0.3 - 0.28311 = 0.01689; squared 0.000285. Slope 2 * 0.01689 * 0.5 a token.
  const row = { now: [-0.8, -0.6], referenceLogprobs: [-1, -1], advantages: [0.28311, 0.28311] };
  const { loss, slopes } = computeRows(advantageRegression.create({ beta: 0.5 }), [row]);
  expect(loss).toBeCloseTo(0.01689 ** 2, 9);
  for (const slope of slopes[0]!) expect(slope).toBeCloseTo(0.01689, 9);
});

test("rows are averaged", () => {
  // Errors 1 and 0: 0.5.
  const at = (advantage: number) => ({ now: [0], referenceLogprobs: [0], advantages: [advantage] });
  expect(computeRows(advantageRegression.create(), [at(1), at(0)]).loss).toBeCloseTo(0.5, 6);
});

test("beta is above 0", () =>
  expect(() => advantageRegression.create({ beta: 0 })).toThrow(/beta of advantage-regression is 0/));

publishedObjective("advantage-regression", advantageRegression);
