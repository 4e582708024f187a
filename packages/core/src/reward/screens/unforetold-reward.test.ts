import { expect, test } from "vitest";
import { sampleTrajectory } from "../../../../../test/support/reward.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { screenRewards } from "./index.ts";

/** Nobody knows whether they succeeded. */
const paid = (values: readonly number[]): Trajectory[] =>
  values.map((value, at) => sampleTrajectory(`t${at}`, { success: null, reward: scored(value), steps: [] }));
const look = (trajectories: readonly Trajectory[], said?: readonly number[], options = {}) =>
  screenRewards(
    {
      trajectories,
      ...(said === undefined ? {} : { foretold: new Map(said.map((chance, at) => [`t${at}`, chance])) }),
    },
    { "unforetold-reward": options },
  ).filter(({ screen }) => screen === "unforetold-reward");

const VALUES = [1, 1, 1, 1, 0, 0, 0, 0, 0];

test("what is paid more than the median though the scorer doubts it is found", () => {
  // Median 0; four are paid 1, and of those three or four have a chance below 0.1.
  const [found] = look(paid(VALUES), [0.05, 0.01, 0.02, 0.03, 0.5, 0.5, 0.5, 0.5, 0.5]);
  expect(found?.evidence).toEqual({ paidWell: 4, doubted: 4, examples: ["t0", "t1", "t2", "t3"] });
  const three = [0.05, 0.01, 0.02, 0.9, 0, 0, 0, 0, 0];
  expect(look(paid(VALUES), three)).toEqual([]);
  // 3 of 4 are 0.75 of them.
  expect(look(paid(VALUES), three, { minTrajectories: 3 })).toHaveLength(1);
  expect(look(paid(VALUES), three, { minTrajectories: 3, minShare: 0.8 })).toEqual([]);
});

test("honest batches, batches without a scorer, and equal pay are left alone", () => {
  expect(look(paid(VALUES), [0.9, 0.8, 0.7, 0.9, 0, 0, 0, 0, 0])).toEqual([]);
  expect(look(paid(VALUES))).toEqual([]);
  expect(look(paid([1, 1, 1, 1, 1]), [0, 0, 0, 0, 0])).toEqual([]);
  expect(look([], [])).toEqual([]);
});
