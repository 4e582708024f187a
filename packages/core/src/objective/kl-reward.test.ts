import { expect, test } from "vitest";
import { klInReward } from "./kl-reward.ts";

const row = {
  rewards: Float64Array.of(0, 0, 1),
  mask: Uint8Array.of(1, 1, 1),
  logprobs: Float64Array.of(0.5, 0.2, -0.1),
  reference: new Float64Array(3),
};
const rounded = (values: Float64Array): number[] => [...values].map((one) => Number(one.toFixed(6)));

test("the penalty of each token is taken from its reward", () => {
  // 0 - 0.1 * 0.5, 0 - 0.1 * 0.2, 1 + 0.1 * 0.1; together 0.94.
  const rewards = klInReward(row, { beta: 0.1 });
  expect(rounded(rewards)).toEqual([-0.05, -0.02, 1.01]);
  expect(rewards.reduce((sum, one) => sum + one, 0)).toBeCloseTo(0.94, 12);
});

test("any estimator, and no penalty where the mask is 0", () => {
  // k2: 0.125, 0.02, 0.005.
  expect(rounded(klInReward(row, { beta: 1, estimator: "k2" }))).toEqual([-0.125, -0.02, 0.995]);
  expect(rounded(klInReward({ ...row, mask: Uint8Array.of(0, 1, 0) }, { beta: 0.1 }))).toEqual([0, -0.02, 1]);
});

test("ragged rows are refused by field", () => {
  expect(() => klInReward({ ...row, reference: new Float64Array(2) }, { beta: 1 })).toThrow(
    "2 entries in reference for 3",
  );
  expect(() => klInReward(row, { beta: Number.NaN })).toThrow("beta of klInReward is NaN");
});
