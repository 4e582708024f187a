import { expect, test } from "vitest";
import { assign, episodes, round, rowAdvantages, together } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { gigpo } from "./gigpo.ts";

const batch = episodes({
  X: {
    outcome: 1,
    steps: [
      { state: "s0", reward: 0 },
      { state: "s1", reward: 1 },
    ],
  },
  Y: {
    outcome: 0,
    steps: [
      { state: "s0", reward: 0 },
      { state: "s2", reward: 0 },
    ],
  },
});

test("adds the step part to the episode part", () => {
  // G: X 0 + 0.95 * 1 = 0.95, 1; Y 0, 0. In s0 the mean is 0.475; s1 and s2 have one row each.
  // 0.5 + 0.475    0.5 + 0    -0.5 - 0.475    -0.5 + 0
  expect(rowAdvantages(gigpo, batch)).toEqual([0.975, 0.5, -0.975, -0.5]);
  const { terms } = assign(gigpo, batch);
  expect(Array.from(terms["episode"]!.perRow!, round)).toEqual([0.5, 0.5, -0.5, -0.5]);
  expect(Array.from(terms["step"]!.perRow!, round)).toEqual([0.475, 0, -0.475, 0]);
});

test("with the deviation", () => {
  // Episode: std 0.577350, 0.866024. s0: squares 2 * 0.225625, std 0.671751; 0.475 / 0.671752 = 0.707106.
  const { terms } = assign(gigpo, batch, { mode: "mean_std_norm" });
  expect(Array.from(terms["episode"]!.perRow!, round)).toEqual([0.866024, 0.866024, -0.866024, -0.866024]);
  expect(Array.from(terms["step"]!.perRow!, round)).toEqual([0.707106, 0, -0.707106, 0]);
});

test("options: weight, discount, singletons of states", () => {
  expect(rowAdvantages(gigpo, batch, { stepAdvantageWeight: 2 })).toEqual([1.45, 0.5, -1.45, -0.5]);
  // gamma 0.5: G of the first row 0.5, mean 0.25.
  expect(rowAdvantages(gigpo, batch, { gamma: 0.5 })).toEqual([0.75, 0.5, -0.75, -0.5]);
  // Raw singletons add their own return: 1 in s1, 0 in s2.
  expect(rowAdvantages(gigpo, batch, { stateSingleton: "raw" })).toEqual([0.975, 1.5, -0.975, -0.5]);
});

test("an invalid action pays in its score and in its own return only", () => {
  const invalid = episodes({
    X: {
      outcome: 1,
      steps: [
        { state: "s0", reward: 0 },
        { state: "s1", reward: 1, valid: false },
      ],
    },
    Y: {
      outcome: 0,
      steps: [
        { state: "s0", reward: 0 },
        { state: "s1", reward: 0 },
      ],
    },
  });
  const { terms } = assign(gigpo, invalid);
  // Scores 1, 0.9, 0, 0: mean 0.475. G: 0.95 (not lowered), 1 - 0.1 = 0.9, 0, 0; means 0.475 and 0.45.
  expect(Array.from(terms["episode"]!.perRow!, round)).toEqual([0.525, 0.425, -0.475, -0.475]);
  expect(Array.from(terms["step"]!.perRow!, round)).toEqual([0.475, 0.45, -0.475, -0.45]);
});

test("coming back to a state compares with oneself", () => {
  const loop = episodes({
    X: {
      outcome: 1,
      steps: [
        { state: "s", reward: 0 },
        { state: "s", reward: 1 },
      ],
    },
  });
  // G 0.95 and 1, mean 0.975: the earlier visit is blamed for the detour.
  expect(Array.from(assign(gigpo, loop).terms["step"]!.perRow!, round)).toEqual([-0.025, 0.025]);
});

test("equal states of different tasks are different states", () => {
  const one = (task: string, outcome: number) =>
    episodes({ [task]: { outcome, steps: [{ state: "s", reward: outcome }] } }, task);
  const { terms } = assign(gigpo, together(one("a", 1), one("b", 0)));
  expect([...terms["step"]!.perRow!]).toEqual([0, 0]);
});

test("states may be matched by normalised or by similar text", () => {
  const shelf = "You are at shelf 1. On it you see a red apple, a knife.";
  const near = "You are at shelf 2. On it you see a red apple, a knife.";
  const other = episodes({
    X: { outcome: 1, steps: [{ state: shelf, reward: 1 }] },
    Y: { outcome: 0, steps: [{ state: `${shelf.toUpperCase()} `, reward: 0 }] },
    Z: { outcome: 0, steps: [{ state: near, reward: 0 }] },
  });
  const stepOf = (options: Record<string, string | number>) =>
    Array.from(assign(gigpo, other, options).terms["step"]!.perRow!, round);
  expect(stepOf({})).toEqual([0, 0, 0]);
  // X and Y: returns 1 and 0, mean 0.5.
  expect(stepOf({ stateMatch: "normalised" })).toEqual([0.5, -0.5, 0]);
  // X and Z differ in one of 55 characters: 2 * 54 / 110 = 0.98.
  expect(stepOf({ stateMatch: "similar" })).toEqual([0.5, 0, -0.5]);
  expect(stepOf({ stateMatch: "similar", similarity: 0.99 })).toEqual([0, 0, 0]);
});

publishedCredit("gigpo", gigpo);
