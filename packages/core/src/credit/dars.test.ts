import { expect, test } from "vitest";
import { answers, assign, episodes, rowAdvantages, together } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { dars, extraRollouts } from "./dars.ts";

test("extra rollouts by accuracy, 8 first ones", () => {
  // a = 0 counts as 0.0625: S 0.117188, (4 - 0.9375) / 0.117188 = 26.13, 27, at most 24; HW (7.5 - 0.9375) / S = 56.
  // 0.125: S 0.21875, (4 - 1.75) / S = 10.29; HW (7 - 1.75) / S = 24. 0.25: S 0.375, 1 / S = 2.67; 3 / S = 8.
  // 0.375: S 0.46875, 0.25 / S = 0.53; (5 - 3.75) / S = 2.67.
  const accuracies = [0, 0.125, 0.25, 0.375, 0.5, 1];
  expect(accuracies.map((accuracy) => extraRollouts(accuracy, 8))).toEqual([24, 11, 3, 1, 0, 0]);
  expect(accuracies.map((accuracy) => extraRollouts(accuracy, 8, { schedule: "hardness" }))).toEqual([
    56, 24, 8, 3, 0, 0,
  ]);
  // Root form, 0.25: S 0.866025, peak 8: (8 - 6.928203) / 0.866025 = 1.24.
  expect(extraRollouts(0.25, 8, { form: "root" })).toBe(2);
  expect(extraRollouts(0, 8, { most: 10 })).toBe(2);
  // 16 first ones: 0.03125, S 0.060547, (8 - 0.96875) / S = 116.1. With a limit of 200, half or all of it.
  expect(extraRollouts(0, 16, { most: 200 })).toBe(117);
  expect(extraRollouts(0, 16, { most: 200, allWrong: "most" })).toBe(184);
});

test("one group of all rollouts", () => {
  // 1, 0, 0, 0: mean 0.25, std 0.5.
  expect(rowAdvantages(dars, answers([1, 0, 0, 0]))).toEqual([0.75, -0.25, -0.25, -0.25]);
  const divided = rowAdvantages(dars, answers([1, 0, 0, 0]), { normByStd: true });
  expect(divided).toEqual([1.499997, -0.499999, -0.499999, -0.499999]);
});

test("tasks that are all right or all wrong drop out", () => {
  const task = (name: string, outcomes: readonly number[]) =>
    episodes(Object.fromEntries(outcomes.map((outcome, at) => [`${name}${at}`, { outcome, steps: [{}] }])), name);
  expect(assign(dars, together(task("a", [1, 1]), task("b", [1, 0]), task("c", [0, 0.5]))).dropped).toEqual([
    0, 1, 4, 5,
  ]);
});

publishedCredit("dars", dars);
