import { expect, test } from "vitest";
import { answers, assign, episodes, plainSteps, rowAdvantages } from "../../test/support/credit.ts";
import { lowerMedian, mcGrpo } from "./mc-grpo.ts";

test("the lower median does not average", () => expect(lowerMedian([4, 1, 3, 2])).toBe(2));

test("centres on the median and leaves it out", () => {
  // Median 0.5; distances 0.5, 0.5, 0, 0.3, 0.3, their median 0.3; 0.5 / 0.301 = 1.661130; 0.3 / 0.301 = 0.996678.
  const batch = answers([1, 0, 0.5, 0.2, 0.8]);
  expect(rowAdvantages(mcGrpo, batch)).toEqual([1.66113, -1.66113, 0, -0.996678, 0.996678]);
  expect(assign(mcGrpo, batch).dropped).toEqual([2]);
  expect(assign(mcGrpo, batch, { dropMedian: false }).dropped).toEqual([]);
});

test("binary scores have no spread: 1000 as published, or clamped, or with a least spread", () => {
  const batch = answers([1, 0, 0, 0, 1]);
  expect(rowAdvantages(mcGrpo, batch)).toEqual([1000, 0, 0, 0, 1000]);
  expect(assign(mcGrpo, batch).dropped).toEqual([1]);
  expect(rowAdvantages(mcGrpo, batch, { clamp: 5 })).toEqual([5, 0, 0, 0, 5]);
  // 1 / (0.1 + 0.001) = 9.900990
  expect(rowAdvantages(mcGrpo, batch, { leastSpread: 0.1 })).toEqual([9.90099, 0, 0, 0, 9.90099]);
});

test("one of the two trainers scales by rows that are not 0", () => {
  // Five rows, four of them not 0: 1.661130 * 5 / 4 = 2.076412; 0.996678 * 1.25 = 1.245847.
  expect(rowAdvantages(mcGrpo, answers([1, 0, 0.5, 0.2, 0.8]), { rescale: true })).toEqual([
    2.076412, -2.076412, 0, -1.245847, 1.245847,
  ]);
});

test("two are too few for a median: centred; one is raw or 0", () => {
  expect(rowAdvantages(mcGrpo, answers([1, 0]))).toEqual([0.5, -0.5]);
  expect(rowAdvantages(mcGrpo, answers([0.7]))).toEqual([0.7]);
  expect(rowAdvantages(mcGrpo, answers([0.7]), { singleton: "zero" })).toEqual([0]);
});

test("counting trajectories drops the whole median trajectory", () => {
  const batch = episodes({
    X: { outcome: 1, steps: plainSteps(1) },
    Y: { outcome: 0.5, steps: plainSteps(2) },
    Z: { outcome: 0, steps: plainSteps(1) },
  });
  // Trajectories 1, 0.5, 0: median 0.5, distances 0.5, 0, 0.5, median 0.5; 0.5 / 0.501 = 0.998004.
  expect(rowAdvantages(mcGrpo, batch, { countTrajectoryOnce: true })).toEqual([0.998004, 0, 0, -0.998004]);
  expect(assign(mcGrpo, batch, { countTrajectoryOnce: true }).dropped).toEqual([1, 2]);
  // Rows 1, 0.5, 0.5, 0: only one of the two median rows is dropped, and the spread is 0.
  expect(assign(mcGrpo, batch).dropped).toEqual([1]);
});
