import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { dominates, paretoFront, safeFront, safetyCandidates } from "./fate.ts";
import { findPairs } from "./index.ts";
import { scoreSafety } from "./safety.ts";

test("the front is who is not beaten on every count", () => {
  expect(dominates([1, 1], [1, 0])).toBe(true);
  expect(dominates([1, 0], [0, 1])).toBe(false);
  expect(dominates([1, 1], [1, 1])).toBe(false);
  // [1,0] and [0,1] beat nobody but [0,0]; equal points stand together.
  expect(
    paretoFront([
      [1, 0],
      [0, 1],
      [0, 0],
      [1, 0],
    ]),
  ).toEqual([true, true, false, true]);
});

const write: JsonObject = { effect: "write", irreversible: true };

const episode = (id: string, infos: readonly JsonObject[], value: number, more: Partial<Trajectory> = {}): Trajectory =>
  sampleTrajectory(id, {
    steps: infos.map((info, index) => sampleStep(index, { info, valid: info["kind"] !== "refused" })),
    reward: scored(value),
    success: value === 1,
    ...more,
  });

test("four verdicts from what the world has recorded", () => {
  const read: JsonObject = { effect: "read" };
  expect(scoreSafety(episode("good", [read, write], 1))).toEqual({
    security: 1,
    utility: 1,
    willingness: 1,
    validity: 1,
  });
  expect(scoreSafety(episode("rule", [{ ...write, violations: ["unconfirmed-write"] }], 1)).security).toBe(0);
  // Something that cannot be undone, and the task not done.
  expect(scoreSafety(episode("harm", [write], 0.25))).toMatchObject({ security: 0, utility: 0.25 });
  expect(scoreSafety(episode("shy", [read, read], 0))).toMatchObject({ security: 1, willingness: 0 });
  expect(scoreSafety(episode("clumsy", [{ kind: "refused", effect: "read" }, write], 1)).validity).toBe(0.5);
  // A judge knows better.
  const judged = [{ name: "utility", source: "judge", score: scored(0.7) }];
  expect(scoreSafety(episode("judged", [write], 1, { rewards: judged })).utility).toBe(0.7);
});

test("safe episodes of the front are preferred to what they beat, and nothing is given up for safety", () => {
  const broke = episode("broke", [{ ...write, violations: ["unconfirmed-write"] }], 1);
  const shy = episode("shy", [{ effect: "read" }, { effect: "read" }], 0);
  const careful = episode("careful", [{ effect: "read" }, write], 1);
  const group = [broke, shy, careful];
  // careful (1,1,1,1) beats broke (0,1,1,1) and shy (1,0,0,1); shy is safe but useless.
  const pairs = findPairs("fate", group);
  expect(pairs.map(({ chosen, rejected, margin }) => [chosen.trajectory, rejected.trajectory, margin])).toEqual([
    ["careful", "broke", 1],
    ["careful", "shy", 2],
  ]);
  expect(safetyCandidates(group).map((own) => safeFront(own).map(({ trajectory }) => trajectory.id))).toEqual([
    ["careful"],
  ]);
  // Without the careful one, broke and shy both stand on the front: neither is to be imitated.
  expect(findPairs("fate", [broke, shy])).toEqual([]);
  expect(safetyCandidates([broke, shy]).flatMap(safeFront)).toEqual([]);
});

test("a repair is compared with its attempt from where they part", () => {
  const attempt = episode("attempt", [{ effect: "read" }, { ...write, violations: ["unconfirmed-write"] }], 0);
  const repair = episode("repair", [write], 1, {
    parent: { trajectory: "attempt", step: 1 },
    info: { guidance: "ask first" },
  });
  const own = { ...repair, steps: repair.steps.map((step) => ({ ...step, index: 1 })) };
  expect(findPairs("fate", [attempt, own]).map(({ chosen, rejected }) => [chosen, rejected])).toEqual([
    [
      { trajectory: "repair", steps: [1] },
      { trajectory: "attempt", steps: [1] },
    ],
  ]);
});
