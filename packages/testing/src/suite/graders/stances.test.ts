import { expect, test } from "vitest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { GraderTools } from "../grader.ts";
import { stanceError, stances } from "./stances.ts";

const gold = [
  [1, 7],
  [2, 6],
];

test("by hand: variances 9 and 4, at most 9; means 4 and 4, at most 6 apart", () => {
  expect(stanceError(gold, gold, "spread")).toBe(0);
  // All in the middle after the first round: 0 and 4 off.
  const early = [
    [1, 7],
    [4, 4],
  ];
  expect(stanceError(early, gold, "spread")).toBeCloseTo((0 + 4 / 9) / 2);
  expect(stanceError(early, gold, "mean")).toBe(0);
  // All against: means 1 and 1, variances 0.
  const against = [
    [1, 1],
    [1, 1],
  ];
  expect(stanceError(against, gold, "spread")).toBeCloseTo((9 / 9 + 4 / 9) / 2);
  expect(stanceError(against, gold, "mean")).toBeCloseTo(3 / 6);
});

test("an answer without every round and person is 0", async () => {
  const grade = async (action: string) =>
    await stances.grade(
      { trajectory: { steps: [{ index: 0, action }] } as unknown as Trajectory, answer: gold, prompt: "" },
      { by: "spread" },
      {} as GraderTools,
    );
  expect((await grade("Round 1: 1 7\nRound 2: 2 6")).score).toEqual({ kind: "scored", value: 1 });
  expect((await grade("Round 1: 1 7")).why).toBe("1 whole rounds of 2");
  expect((await grade("Round 1: 1 7 3\nRound 2: 2 6")).score).toEqual({ kind: "scored", value: 0 });
  expect((await grade("Round 1: 1 .\nRound 2: 2 6")).score).toEqual({ kind: "scored", value: 0 });
  expect(stances.check?.([[1, 8]], {})).toContain("from 1 to 7");
});
