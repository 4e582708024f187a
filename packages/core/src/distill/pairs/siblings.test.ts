import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { findPairs } from "./index.ts";

const run = (id: string, actions: readonly string[], value: number): Trajectory =>
  sampleTrajectory(id, { steps: actions.map((action, index) => sampleStep(index, { action })), reward: scored(value) });

test("ways are worth what episodes earned on average that went them", () => {
  // From the start: "go" earned 1, 0 and 0.5, mean 0.5; "wait" 0.25. After "go": "take" 1, "drop" 0, "look" 0.5.
  const episodes = [
    run("a", ["go", "take"], 1),
    run("b", ["go", "drop"], 0),
    run("c", ["wait"], 0.25),
    run("d", ["go", "look"], 0.5),
  ];
  const pairs = findPairs("siblings", episodes).map(({ chosen, rejected, margin }) => [
    `${chosen.trajectory}${chosen.steps.join()}`,
    `${rejected.trajectory}${rejected.steps.join()}`,
    margin,
  ]);
  expect(pairs).toEqual([
    ["a0", "c0", 0.25],
    ["a1", "d1", 0.5],
    ["a1", "b1", 1],
  ]);
  // Ways that were tried once are not trusted.
  expect(findPairs("siblings", episodes, { least: 2 })).toEqual([]);
  expect(findPairs("siblings", episodes, { gap: 0.5 })).toHaveLength(1);
});

test("the same action after another past is another way", () => {
  const episodes = [run("a", ["go", "take"], 1), run("b", ["wait", "drop"], 0)];
  // They part at the start, so nothing is known about "take" against "drop".
  expect(findPairs("siblings", episodes).map(({ chosen }) => chosen.steps)).toEqual([[0]]);
});
