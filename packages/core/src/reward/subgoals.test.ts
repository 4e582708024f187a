import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory, stepTotals, totals } from "../../../../test/support/reward.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { subgoals } from "./subgoals.ts";

/** Pairs of state and what is seen there; the last one is the closing observation. */
function walk(seen: readonly (readonly [string, string])[], more: Partial<Trajectory> = {}): Trajectory {
  const steps = seen.slice(0, -1).map(([stateKey, observation], at) => sampleStep(at, { stateKey, observation }));
  return sampleTrajectory("a", { steps, closing: { observation: seen.at(-1)?.[1] ?? "" }, ...more });
}

const options = {
  subgoals: [
    { text: "You hold the mug", budget: 1 },
    { text: "mug is clean", budget: 3 },
  ],
};

test("idle steps earn nothing; a subgoal's budget is shared by the steps that changed something", () => {
  const own = walk([
    ["s0", "a room"],
    ["s0", "a room"], // step 0 changed nothing
    ["s1", "a desk"], // step 1 did
    ["s2", "you hold the mug"], // step 2 did, and reached the first: 0.25 for two steps
    ["s2", "you hold the mug"], // step 3 was idle
    ["s3", "The mug is clean."], // step 4 reached the second: 0.75
  ]);
  expect(stepTotals(subgoals, [own], options)).toEqual([[0, 0.125, 0.125, 0, 0.75]]);
  expect(totals(subgoals, [own], options)).toEqual([1]);
});

test("order counts: the second before the first earns nothing", () => {
  const own = walk([
    ["s0", "a room"],
    ["s1", "the mug is clean"],
    ["s2", "dark"],
  ]);
  expect(totals(subgoals, [own], options)).toEqual([0]);
});

test("one observation may show both", () => {
  const own = walk([
    ["s0", "a room"],
    ["s1", "you hold the mug; the mug is clean"],
  ]);
  expect(totals(subgoals, [own], options)).toEqual([1]);
});

test("the task's own procedure comes first", () => {
  const task = {
    id: "task-1",
    env: "toy",
    seed: 1,
    goal: "g",
    split: "train",
    data: { subgoals: ["done", { text: "dusted", budget: 1 }] },
  };
  const own = walk(
    [
      ["s0", "a room"],
      ["s1", "done"],
    ],
    { task },
  );
  expect(totals(subgoals, [own], options)).toEqual([0.5]);
});

test("no subgoals, no steps", () => {
  expect(totals(subgoals, [walk([["s0", "a"]])])).toEqual(["unscored: nobody gave its subgoals"]);
  expect(totals(subgoals, [walk([["s0", "a"]])], options)).toEqual(["unscored: it has no steps"]);
  expect(() => totals(subgoals, [], { subgoals: [{ text: "a", budget: 0 }] })).toThrow("subgoals.0.budget");
});
