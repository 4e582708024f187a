import { expect, test } from "vitest";
import { hasOutcome, outcomeOf, withOutcome } from "./outcome.ts";
import { scored, unscored } from "./score.ts";
import type { Reward, Trajectory } from "./trajectory.ts";

const bare = { success: null, reward: unscored("no outcome yet"), rewards: [] as readonly Reward[] };
const said = (name: string, value: number, more: Partial<Reward> = {}): Reward => ({
  name,
  source: "person",
  score: scored(value),
  ...more,
});

test("nobody has said: no outcome, and unscored stays unscored", () => {
  expect(outcomeOf(bare)).toEqual({ success: null, reward: unscored("no outcome yet") });
  expect(hasOutcome(bare)).toBe(false);
  expect(hasOutcome({ ...bare, rewards: [said("polite", 1)] })).toBe(false);
});

test("the last word counts; a judge that failed and words about one step do not", () => {
  const rewards = [
    said("success", 1),
    said("score", 0.25),
    said("success", 0),
    said("success", 1, { step: 0 }),
    { name: "score", source: "judge", score: unscored("timed out") },
  ];
  expect(outcomeOf({ ...bare, rewards })).toEqual({ success: false, reward: scored(0.25) });
  expect(hasOutcome({ ...bare, rewards })).toBe(true);
  expect(withOutcome({ ...bare, rewards, id: "a" } as unknown as Trajectory)).toMatchObject({
    id: "a",
    success: false,
  });
});

test("feedback overrides what the environment said", () => {
  const rewards = [said("success", 1)];
  expect(outcomeOf({ success: false, reward: scored(0), rewards })).toEqual({ success: true, reward: scored(0) });
});
