import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { KL_ESTIMATORS } from "./kl-estimators.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { kl } from "./kl.ts";

const one = (k: number, options?: Parameters<typeof kl.create>[0]) => {
  const { loss, slopes } = computeRows(kl.create(options), [{ now: [k], referenceLogprobs: [0] }]);
  return { loss, slope: slopes[0]?.[0] as number };
};

test.each([
  // k = 0.5; k2 = 0.125; k3 = e^-0.5 + 0.5 - 1 = 0.106531, slope 1 - e^-0.5 = 0.393469.
  ["k1", 0.5, 1],
  ["abs", 0.5, 1],
  ["k2", 0.125, 0.5],
  ["k3", 0.106531, 0.393469],
  // Straight-through: the value of the estimator, the slope of k2.
  ["k1+", 0.5, 0.5],
  ["abs+", 0.5, 0.5],
  ["k3+", 0.106531, 0.5],
] as const)("%s of 0.5 is %d with slope %d", (estimator, loss, slope) => {
  expect(one(0.5, { estimator }).loss).toBeCloseTo(loss, 6);
  expect(one(0.5, { estimator }).slope).toBeCloseTo(slope, 6);
});

test.each(KL_ESTIMATORS)("%s of equal policies is 0", (estimator) => {
  expect(one(0, { estimator }).loss).toBeCloseTo(0, 12);
});

test("abs and k1 differ below 0", () => {
  expect(one(-0.5, { estimator: "k1" })).toEqual({ loss: -0.5, slope: 1 });
  expect(one(-0.5, { estimator: "abs" })).toEqual({ loss: 0.5, slope: -1 });
});

test("k3 is held at 10, without slope there", () => {
  // e^5 - 5 - 1 = 142.4 for k = -5; e^-50 + 50 - 1 for k = 50: both above 10.
  expect(one(-5)).toEqual({ loss: 10, slope: 0 });
  expect(one(50)).toEqual({ loss: 10, slope: 0 });
});

test("an unknown estimator is refused", () => {
  expect(() => kl.create({ estimator: "k4" as "k3" })).toThrow('estimator of kl is "k4"');
});

publishedObjective("kl", kl);
