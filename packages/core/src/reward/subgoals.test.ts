import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory, stepTotals, totals } from "../../../../test/support/reward.ts";
import { published } from "../../../../test/support/published.ts";
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

test("a subgoal's budget is shared by the steps on the way; an idle one counts a third, or nothing", () => {
  const own = walk([
    ["s0", "a room"],
    ["s0", "a room"], // step 0 changed nothing
    ["s1", "a desk"], // step 1 did
    ["s2", "you hold the mug"], // step 2 did, and reached the first: 0.25 for two steps
    ["s2", "you hold the mug"], // step 3 was idle
    ["s3", "The mug is clean."], // step 4 reached the second: 0.75
  ]);
  // 1/3, 1 and 1 on the way to the first: a seventh and two times three. 1/3 and 1 on the way to the second.
  const [first, second] = [0.25, 0.75];
  const [given] = stepTotals(subgoals, [own], options);
  const wanted = [first / 7, (first * 3) / 7, (first * 3) / 7, second / 4, (second * 3) / 4];
  for (const [at, value] of wanted.entries()) expect((given as number[])[at]).toBeCloseTo(value, 8);
  expect(totals(subgoals, [own], options)).toEqual([1]);
  expect(stepTotals(subgoals, [own], { ...options, idle: 0 })).toEqual([[0, 0.125, 0.125, 0, 0.75]]);
});

interface Way {
  /** Whether each step showed another picture. */
  readonly changed: readonly (0 | 1)[];
  readonly shares: readonly number[];
}

test.each(published<Way>("procvlm").cases)("shares of a subgoal as published: $changed", ({ changed, shares }) => {
  let state = 0;
  const seen = [0, ...changed].map((one) => ((state += one), [`s${state}`, `place ${state}`] as const));
  const end = [...seen.slice(0, -1), [`s${state}`, `place ${state}, done`] as const];
  // What differs at the end is the sign of a change there, so that an idle last step is shown with one more behind it.
  const idleEnd = changed.at(-1) === 0;
  const own = walk(idleEnd ? [...end, ["elsewhere", "elsewhere"]] : end);
  const [given] = stepTotals(subgoals, [own], { subgoals: [{ text: "done" }] });
  for (const [at, share] of shares.entries()) expect((given as number[])[at]).toBeCloseTo(share, 6);
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
