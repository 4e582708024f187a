import { expect, test } from "vitest";
import { sampleTrajectory } from "../../../../test/support/samples.ts";
import { defineReward } from "../reward/reward.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { rescoreTrajectories } from "./rescore-trajectories.ts";

/** Says what the trajectory's `info.say` holds; nothing about one that holds none. */
const told = defineReward({
  id: "told",
  info: {
    title: "Told",
    meaning: "What was written down.",
    paper: "none",
    confidence: "practice",
    formula: ["say"],
    departures: [],
  },
  needs: [],
  options: {},
  score: (batch) => ({
    awards: batch.map(({ info }) => {
      const say = info?.["say"];
      return [
        { score: typeof say === "number" ? scored(say) : unscored("nothing was written down") },
        { part: "half", score: scored(0.5) },
        { step: 0, score: scored(9) },
      ];
    }),
  }),
});

const of = (id: string, stored: number, say: number | null, more: Partial<Trajectory> = {}): Trajectory =>
  sampleTrajectory(id, { reward: scored(stored), info: { say }, ...more });

test("means, difference, order and what tells successes, by hand", async () => {
  const batch = [
    of("a", 1, 4, { success: true }),
    of("b", 0, 2, { success: false }),
    of("c", 1, 2, { success: true, group: "other" }),
    of("d", 0, 3, { success: false, group: "other" }),
    of("e", 0.5, null, { success: null }),
  ];
  const result = await rescoreTrajectories(told, batch);
  expect(result).toMatchObject({ reward: "told", unscored: 1, changed: 4 });
  expect(result.trajectories.map(({ stored, rescored }) => [stored, rescored])).toEqual([
    [1, 4],
    [0, 2],
    [1, 2],
    [0, 3],
    [0.5, null],
  ]);
  // Over the four that have both: stored 0.5, new 2.75, differences 3, 2, 1, 3: mean 2.25.
  expect([result.stored!.mean, result.rescored!.mean, result.difference!.mean]).toEqual([0.5, 2.75, 2.25]);
  // Group 1: a above b, still so. The other group: c was above d, now below. The pairs with e are unscored.
  expect(result.order).toEqual({ kept: 1, tied: 0, reversed: 1 });
  // Stored: successes (1, 1) above failures (0, 0): 1. New: 4 > 2, 4 > 3, 2 = 2 (half), 2 < 3: 2.5 of 4.
  expect([result.storedTells, result.rescoredTells]).toEqual([1, 0.625]);
  // Ranks: stored 3.5, 1.5, 3.5, 1.5; new 4, 1.5, 1.5, 3. Centred by 2.5: 1·1.5 + 1·1 - 1·1 - 1·0.5 = 1;
  // squares 4 and 2.25 + 1 + 1 + 0.25 = 4.5: 1 / sqrt(18) = 0.235702.
  expect(result.correlation).toBeCloseTo(0.235702, 6);
  // Parts and steps are kept beside, and are not the score.
  expect(result.trajectories[0]!.rewards.map(({ name, step }) => [name, step])).toEqual([
    ["told", undefined],
    ["told.half", undefined],
    ["told", 0],
  ]);
});

test("a reward that says the same of everything orders nothing", async () => {
  const result = await rescoreTrajectories(told, [of("a", 1, 7), of("b", 0, 7, { success: false })]);
  expect(result).toMatchObject({ correlation: null, order: { kept: 0, tied: 1, reversed: 0 }, rescoredTells: 0.5 });
  const none = await rescoreTrajectories(told, [of("a", 1, null)]);
  expect(none).toMatchObject({ stored: null, rescored: null, difference: null, unscored: 1, storedTells: null });
});
