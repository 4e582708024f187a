import { expect, test } from "vitest";
import { sampleTrajectory } from "../../../../../test/support/reward.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { screenRewards } from "./index.ts";

const own = (id: string, group: string, success: boolean | null, value: number): Trajectory =>
  sampleTrajectory(id, { group, success, reward: scored(value), steps: [] });
const look = (trajectories: readonly Trajectory[], options = {}) =>
  screenRewards({ trajectories }, { "unearned-reward": options }).filter(({ screen }) => screen === "unearned-reward");

test("failures that are paid like successes are found, by number and share", () => {
  // Median of the successes: 1. Three of five failures are paid that.
  const batch = [
    ...[1, 1, 1].map((value, at) => own(`s${at}`, `g${at}`, true, value)),
    ...[1, 1.2, 1, 0, 0].map((value, at) => own(`f${at}`, `g${at}`, false, value)),
  ];
  expect(look(batch)[0]?.evidence).toEqual({ failures: 5, unearned: 3, examples: ["f0", "f1", "f2"] });
  expect(look(batch, { minTrajectories: 4 })).toEqual([]);
  expect(look(batch, { minShare: 0.7 })).toEqual([]);
});

test("failures of one group that are paid very differently are found where nothing succeeded", () => {
  // Each group: 0, 0 and 1, 1; the widest difference of the batch is 1.
  const groups = ["a", "b", "c"].flatMap((group) =>
    [0, 1, 0, 1].map((value, at) => own(`${group}${at}`, group, false, value)),
  );
  expect(look(groups)[0]?.evidence).toEqual({ groups: 3, split: 3, meanGap: 1 });
  expect(look(groups.slice(0, 8))).toEqual([]);
});

test("honest batches are left alone: failures with nothing, partial credit below success, unknown success", () => {
  const plain = ["a", "b", "c"].flatMap((group) =>
    [1, 0, 0, 0, 0].map((value, at) => own(`${group}${at}`, group, value === 1, value)),
  );
  expect(look(plain)).toEqual([]);
  const partial = ["a", "b", "c"].flatMap((group) =>
    [1, 0.3, 0.1, 0.2, 0.25].map((value, at) => own(`${group}${at}`, group, value === 1, value)),
  );
  expect(look(partial)).toEqual([]);
  expect(look(plain.map((one) => ({ ...one, success: null, reward: scored(1) })))).toEqual([]);
  expect(look([])).toEqual([]);
});
