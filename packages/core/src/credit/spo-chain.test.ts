import { expect, test } from "vitest";
import { advantages, answers } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { cutPoints, spoChain } from "./spo-chain.ts";

const cuts = [
  { token: -1, value: 0.4 },
  { token: 1, value: 0.6 },
  { token: 3, value: 0.3 },
];
const row = (fields: object) => answers([1], [{ mask: [1, 1, 1, 1, 1, 1], ...fields }]);

test("differences of values between cuts; the score closes the last", () => {
  // 0.6 - 0.4    0.3 - 0.6    1 - 0.3
  expect(advantages(spoChain, row({ signals: { cuts } }))).toEqual([[0.2, 0.2, -0.3, -0.3, 0.7, 0.7]]);
});

test("before the first cut there is nothing, and without cuts there is nothing at all", () => {
  expect(advantages(spoChain, row({ signals: { cuts: cuts.slice(1) } }))).toEqual([[0, 0, -0.3, -0.3, 0.7, 0.7]]);
  expect(advantages(spoChain, row({ signals: { cuts: [] } }))).toEqual([[0, 0, 0, 0, 0, 0]]);
});

test("sure tokens get nothing", () => {
  const old = [0.5, 0.95, 0.5, 0.5, 0.99, 0.5].map(Math.log);
  expect(advantages(spoChain, row({ signals: { cuts }, logprobs: { old } }))).toEqual([[0.2, 0, -0.3, -0.3, 0, 0.7]]);
  expect(advantages(spoChain, row({ signals: { cuts }, logprobs: { old } }), { maskAbove: null })[0]![1]).toBe(0.2);
});

test("whitened over the batch", () => {
  // 0.2, 0.2, -0.3, -0.3, 0.7, 0.7: mean 0.2, squares 1, / 5, std 0.447214; 0.5 / 0.447214 = 1.118034.
  expect(advantages(spoChain, row({ signals: { cuts } }), { whiten: true })[0]).toEqual([
    0, 0, -1.118034, -1.118034, 1.118034, 1.118034,
  ]);
});

test("cuts stand before every fifth unsure token", () => {
  const logprobs = Float64Array.from([0.5, 0.95, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5].map(Math.log));
  const mask = new Uint8Array(8).fill(1);
  // Unsure: 0, 2, 3, 4, 5, 6, 7; the first and the sixth, one to the left.
  expect(cutPoints(logprobs, mask)).toEqual([-1, 5]);
  expect(cutPoints(logprobs, mask, { every: 3 })).toEqual([-1, 3, 6]);
  expect(cutPoints(logprobs, new Uint8Array(8))).toEqual([]);
});

publishedCredit("spo-chain", spoChain);
