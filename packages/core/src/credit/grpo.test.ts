import { expect, test } from "vitest";
import { answers, episodes, plainSteps, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { grpo } from "./grpo.ts";

test("scales the distance from the group's mean", () => {
  // S = [1, 0, 0, 1]: mean 0.5; squares 4 * 0.25 = 1; 1 / 3; std 0.577350; 0.5 / 0.577351 = 0.866024.
  expect(rowAdvantages(grpo, answers([1, 0, 0, 1]))).toEqual([0.866024, -0.866024, -0.866024, 0.866024]);
});

test("plain centring and the population deviation are options", () => {
  expect(rowAdvantages(grpo, answers([1, 0, 0, 1]), { normByStd: false })).toEqual([0.5, -0.5, -0.5, 0.5]);
  // Population: 1 / 4 = 0.25, std 0.5; 0.5 / 0.500001 = 0.999998.
  expect(rowAdvantages(grpo, answers([1, 0, 0, 1]), { deviation: "population" })).toEqual([
    0.999998, -0.999998, -0.999998, 0.999998,
  ]);
});

test("the vectorised form also floors the variance", () => {
  // S = [0, 0.0002]: distances 0.0001, variance 2e-8; floored to 1e-6, std 0.001; 0.0001 / 0.001001 = 0.0999.
  expect(rowAdvantages(grpo, answers([0, 0.0002]), { form: "vectorised" })).toEqual([-0.0999, 0.0999]);
  // Loop: std 0.000141421; 0.0001 / 0.000142421 = 0.702141.
  expect(rowAdvantages(grpo, answers([0, 0.0002]))).toEqual([-0.702142, 0.702142]);
});

test("a group of one keeps its score, or gets nothing", () => {
  // 0.7 / (1 + 1e-6) = 0.699999.
  expect(rowAdvantages(grpo, answers([0.7]))).toEqual([0.699999]);
  expect(rowAdvantages(grpo, answers([0.7]), { normByStd: false })).toEqual([0.7]);
  expect(rowAdvantages(grpo, answers([0.7]), { singleton: "zero" })).toEqual([0]);
});

test("equal scores give exactly 0, also where their mean would round", () => {
  expect(rowAdvantages(grpo, answers([0.1, 0.1, 0.1]))).toEqual([0, 0, 0]);
});

test("a long trajectory weighs more, unless it counts once", () => {
  const batch = episodes({ X: { outcome: 1, steps: plainSteps(1) }, Y: { outcome: 0, steps: plainSteps(3) } });
  // Rows 1, 0, 0, 0: mean 0.25. Trajectories 1, 0: mean 0.5.
  expect(rowAdvantages(grpo, batch, { normByStd: false })).toEqual([0.75, -0.25, -0.25, -0.25]);
  expect(rowAdvantages(grpo, batch, { normByStd: false, countTrajectoryOnce: true })).toEqual([0.5, -0.5, -0.5, -0.5]);
});

test("SAGE's chains: each task of the chain against the same task of the other chains", () => {
  // Chain A solved both with the skill of the first, chain B the first alone: R_1 = [2, 1], R_2 = [2, 0] (rollout/chain.ts).
  expect(rowAdvantages(grpo, answers([2, 1]), { normByStd: false })).toEqual([0.5, -0.5]);
  expect(rowAdvantages(grpo, answers([2, 0]), { normByStd: false })).toEqual([1, -1]);
});

publishedCredit("grpo", grpo);
