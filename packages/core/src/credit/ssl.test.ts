import { expect, test } from "vitest";
import { answers, rowAdvantages } from "../../../../test/support/credit.ts";
import { ssl, tierReward } from "./ssl.ts";

test("rewards of tiers grow faster and faster", () => {
  // k (k + 1) / 20 for k 0 to 4.
  const edges = [0.25, 0.5, 0.75, 1];
  expect([0.1, 0.3, 0.6, 0.8, 1].map((progress) => tierReward(progress, edges))).toEqual([0, 0.1, 0.3, 0.6, 1]);
  expect([-1, 7].map((progress) => tierReward(progress, edges))).toEqual([0, 1]);
  expect([0.99, 1].map((progress) => tierReward(progress, [1]))).toEqual([0, 1]);
});

test("full success and the tier, against the group", () => {
  // Tiers 4, 2, 1, 0: 1 + 1, 0.3, 0.1, 0, mean 0.6.
  expect(rowAdvantages(ssl, answers([1, 0.6, 0.3, 0.1]))).toEqual([1.4, -0.3, -0.5, -0.6]);
  // Half of the tier: 1.5, 0.15, 0.05, 0, mean 0.425. The tier alone: 1, 0.3, 0.1, 0, mean 0.35.
  expect(rowAdvantages(ssl, answers([1, 0.6, 0.3, 0.1]), { alpha: 0.5 })).toEqual([1.075, -0.275, -0.375, -0.425]);
  expect(rowAdvantages(ssl, answers([1, 0.6, 0.3, 0.1]), { correctness: 0 })).toEqual([0.65, -0.05, -0.25, -0.35]);
});

test("equal tiers are no difference", () => expect(rowAdvantages(ssl, answers([0.6, 0.7]))).toEqual([0, 0]));

test("with the deviation", () => {
  // 2 and 0.3: +- 0.85 / 1.202083.
  const found = rowAdvantages(ssl, answers([1, 0.6]), { mode: "mean_std_norm" });
  expect(found[0]).toBeCloseTo(0.707106, 5);
});
