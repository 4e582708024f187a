import { expect, test } from "vitest";
import { advantages, answers } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { optimalTokenBaseline } from "./optimal-token-baseline.ts";

const logs = (values: readonly number[]) => values.map(Math.log);
const right = { mask: [1, 1], logprobs: { old: logs([0.5, 0.8]), collision: logs([0.38, 0.66]) } };
const wrong = { mask: [1, 1], logprobs: { old: logs([0.5, 0.4]), collision: logs([0.38, 0.36]) } };

test("each position has its own baseline", () => {
  // w: 1 - 1 + 0.38 = 0.38, 1 - 1.6 + 0.66 = 0.06; W1 0.38, 0.44. Second row 0.38, 1 - 0.8 + 0.36 = 0.56; W2 0.38, 0.94.
  // B: 0.38 / 0.76 = 0.5, 0.44 / 1.38 = 0.318841.
  const found = advantages(optimalTokenBaseline, answers([1, 0], [right, wrong]));
  for (const [at, expected] of [0.5, 0.681159, -0.5, -0.318841].entries()) {
    expect(found.flat()[at]).toBeCloseTo(expected, 6);
  }
});

test("masked tokens have no position", () => {
  const holed = { mask: [1, 0, 1], logprobs: { old: logs([0.5, 1, 0.8]), collision: logs([0.38, 1, 0.66]) } };
  const found = advantages(optimalTokenBaseline, answers([1, 0], [holed, wrong]));
  expect(found[0]).toEqual([0.5, 0, 0.681159]);
});

test("where only one row goes on it is its own baseline, or has none", () => {
  const short = { mask: [1], logprobs: { old: logs([0.5]), collision: logs([0.38]) } };
  expect(advantages(optimalTokenBaseline, answers([1, 0], [right, short]))).toEqual([[0.5, 0], [-0.5]]);
  expect(advantages(optimalTokenBaseline, answers([1, 0], [right, short]), { cutLongest: true })).toEqual([
    [0.5, 1],
    [-0.5],
  ]);
});

test("alone: the reward to go, or 0", () => {
  expect(advantages(optimalTokenBaseline, answers([1], [right]))).toEqual([[1, 1]]);
  expect(advantages(optimalTokenBaseline, answers([1], [right]), { singleton: "zero" })).toEqual([[0, 0]]);
  // A row without a trained token is no company: 1 without a baseline, where a company would be 1 - 1.
  const empty = { mask: [0], logprobs: { old: logs([0.5]), collision: logs([0.38]) } };
  expect(advantages(optimalTokenBaseline, answers([1, 0], [right, empty]))).toEqual([[1, 1], [0]]);
});

publishedCredit("optimal-token-baseline", optimalTokenBaseline);
