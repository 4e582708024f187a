import { expect, test } from "vitest";
import { advantages, answers } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { biLevelGae } from "./bi-level-gae.ts";

const mask = [1, 1, 0, 1, 1];
const values = [0.3, 0.4, 0, 0.5, 0.6];

test("first over turns, then inside them", () => {
  // Turn ends 1 and 4, gammaTurn 0.95, lambda 1: A_4 = 1 - 0.6 = 0.4; A_1 = 0.2 + 0.95 * 0.6 - 0.4 + 0.95 * 0.4 = 0.75.
  // Rewards become 0.75 + 0.4 = 1.15 and 0.4 + 0.6 = 1. Inside: t4 1 - 0.6 = 0.4; t3 0.6 - 0.5 + 0.4 = 0.5;
  // t1 1.15 - 0.4 = 0.75; t0 0.4 - 0.3 + 0.75 = 0.85.
  const batch = answers([1], [{ mask, values, tokenRewards: [0, 0.2, 0, 0, 1] }]);
  expect(advantages(biLevelGae, batch, { whiten: false })).toEqual([[0.85, 0.75, 0, 0.5, 0.4]]);
});

test("a turn that earned 0 is an end only where turns say so", () => {
  const rewards = [0, 0, 0, 0, 1];
  const unseen = answers([1], [{ mask, values, tokenRewards: rewards }]);
  // One turn: t4 0.4; t3 0.6 - 0.5 + 0.4 = 0.5; t1 0.5 - 0.4 + 0.5 = 0.6; t0 0.4 - 0.3 + 0.6 = 0.7.
  expect(advantages(biLevelGae, unseen, { whiten: false })).toEqual([[0.7, 0.6, 0, 0.5, 0.4]]);
  const turns = [
    { start: 0, end: 3 },
    { start: 3, end: 5 },
  ];
  // A_1 = 0 + 0.57 - 0.4 + 0.38 = 0.55, reward 0.95; t1 0.55; t0 0.4 - 0.3 + 0.55 = 0.65.
  const seen = answers([1], [{ mask, values, tokenRewards: rewards, turns }]);
  expect(advantages(biLevelGae, seen, { whiten: false })).toEqual([[0.65, 0.55, 0, 0.5, 0.4]]);
});

test("tokens behind the last turn's end are plain GAE", () => {
  // End at 0 (reward 1): A_0 = 1 - 0.5 = 0.5, reward 1. t1: 0 - 0.2 = -0.2; t0: 1 - 0.5 = 0.5.
  const batch = answers([1], [{ mask: [1, 1], values: [0.5, 0.2], tokenRewards: [1, 0] }]);
  expect(advantages(biLevelGae, batch, { whiten: false })).toEqual([[0.5, -0.2]]);
});

publishedCredit("bi-level-gae", biLevelGae);
