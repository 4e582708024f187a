import { expect, test } from "vitest";
import { sampleTrajectory } from "../../../../../test/support/samples.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { findPairs } from "./index.ts";

test("the best is paired with the worst; equal rewards and what nobody scored are left out", () => {
  const of = (id: string, value: number | undefined) =>
    sampleTrajectory(id, { reward: value === undefined ? unscored("lost") : scored(value) });
  const group = [of("a", 1), of("b", 0), of("c", undefined), of("d", 0.5), of("e", 0.5)];
  // Sorted: a 1, d 0.5, e 0.5, b 0. Pairs: a with b; d with e earned the same.
  expect(findPairs("episodes", group)).toEqual([
    {
      id: "a@0-2 > b@0-2",
      task: "task-1",
      chosen: { trajectory: "a", steps: [0, 1, 2] },
      rejected: { trajectory: "b", steps: [0, 1, 2] },
      margin: 1,
    },
  ]);
  expect(findPairs("episodes", group, { gap: 1 })).toEqual([]);
});

test("feedback that came later counts", () => {
  const late = { name: "score", source: "a person", score: scored(3) };
  const pairs = findPairs("episodes", [sampleTrajectory("a"), sampleTrajectory("b", { rewards: [late] })]);
  expect(pairs.map(({ chosen, margin }) => [chosen.trajectory, margin])).toEqual([["b", 2]]);
});
