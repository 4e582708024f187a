import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory, stepTotals, totals, withSteps } from "../../../../test/support/reward.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { stepRewards } from "./step-rewards.ts";

test("sum, discounted sum and the other ways to make one number", () => {
  const batch = [withSteps("a", [1, 0, 4])];
  expect(totals(stepRewards, batch)).toEqual([5]);
  // 1 + 0.5 * 0 + 0.25 * 4 = 2
  expect(totals(stepRewards, batch, { gamma: 0.5 })).toEqual([2]);
  const by = (combine: string) => totals(stepRewards, batch, { combine })[0];
  expect([by("mean"), by("max"), by("min"), by("last")]).toEqual([1.666666667, 4, 0, 4]);
});

test("returns of steps", () => {
  // G_2 = 4, G_1 = 0 + 0.5 * 4 = 2, G_0 = 1 + 0.5 * 2 = 2
  expect(stepTotals(stepRewards, [withSteps("a", [1, 0, 4])], { gamma: 0.5, returns: true })).toEqual([[2, 2, 4]]);
});

test("a branch counts what it shares and gives returns to its own steps", () => {
  const parent = withSteps("parent", [1, 2, 3]);
  const branch = sampleTrajectory("branch", {
    parent: { trajectory: "parent", step: 1 },
    steps: [sampleStep(1, { reward: scored(10) }), sampleStep(2, { reward: scored(20) })],
  });
  // 1 (shared) + 10 + 20
  expect(totals(stepRewards, [parent, branch])).toEqual([6, 31]);
  expect(stepTotals(stepRewards, [parent, branch], { returns: true })[1]).toEqual([30, 20]);
  expect(totals(stepRewards, [branch])).toEqual(['unscored: its parent "parent" is not in the batch']);
});

test("a step without a score, and no steps", () => {
  const gap = sampleTrajectory("gap", {
    steps: [sampleStep(0, { reward: scored(3) }), sampleStep(1, { reward: unscored("lost") })],
  });
  expect(totals(stepRewards, [gap])).toEqual(["unscored: lost"]);
  expect(totals(stepRewards, [gap], { unscored: "leave-out" })).toEqual([3]);
  expect(totals(stepRewards, [withSteps("none", [])])).toEqual(["unscored: it has no scored steps"]);
});

test("the first return is the discounted sum", () => {
  const values = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (rewards, gamma) => {
      const batch = [withSteps("a", rewards)];
      const [first] = stepTotals(stepRewards, batch, { gamma, returns: true })[0] ?? [];
      expect(totals(stepRewards, batch, { gamma })).toEqual([first]);
    }),
  );
});
