import { expect, test } from "vitest";
import { answers, episodes, plainSteps, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { rloo } from "./rloo.ts";

test("subtracts the mean of the others", () => {
  // 1 - (0 + 0.5) / 2 = 0.75    0 - (1 + 0.5) / 2 = -0.75    0.5 - (1 + 0) / 2 = 0
  expect(rowAdvantages(rloo, answers([1, 0, 0.5]))).toEqual([0.75, -0.75, 0]);
});

test("alone there are no others: 0, or the score", () => {
  expect(rowAdvantages(rloo, answers([0.7]))).toEqual([0]);
  expect(rowAdvantages(rloo, answers([0.7]), { singleton: "raw" })).toEqual([0.7]);
});

test("others are rows, or trajectories", () => {
  const batch = episodes({ X: { outcome: 1, steps: plainSteps(1) }, Y: { outcome: 0, steps: plainSteps(3) } });
  // Rows: 4/3 * (1 - 0.25) = 1, 4/3 * (0 - 0.25) = -1/3. Trajectories: 2 * (1 - 0.5) = 1, 2 * (0 - 0.5) = -1.
  expect(rowAdvantages(rloo, batch)).toEqual([1, -0.333333, -0.333333, -0.333333]);
  expect(rowAdvantages(rloo, batch, { countTrajectoryOnce: true })).toEqual([1, -1, -1, -1]);
});

test("equal scores give 0", () => expect(rowAdvantages(rloo, answers([0.3, 0.3]))).toEqual([0, 0]));

publishedCredit("rloo", rloo);
