import { expect, test } from "vitest";
import { advantages, answers } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { opo } from "./opo.ts";

const mask = (length: number) => ({ mask: Array.from({ length }, () => 1) });

test("the baseline weighs scores by length", () => {
  // Lengths 10 and 30, scores 1 and 0: (10 * 1 + 30 * 0) / 40 = 0.25.
  const found = advantages(opo, answers([1, 0], [mask(10), mask(30)]));
  expect(found).toEqual([Array.from({ length: 10 }, () => 0.75), Array.from({ length: 30 }, () => -0.25)]);
});

test("masked tokens are no length", () => {
  // Lengths 1 and 1: baseline 0.5.
  const found = advantages(opo, answers([1, 0], [{ mask: [1, 0, 0] }, { mask: [0, 1, 0] }]));
  expect(found).toEqual([
    [0.5, 0, 0],
    [0, -0.5, 0],
  ]);
});

test("alone: the score, or 0", () => {
  expect(advantages(opo, answers([0.7]))).toEqual([[0.7]]);
  expect(advantages(opo, answers([0.7]), { singleton: "zero" })).toEqual([[0]]);
});

publishedCredit("opo", opo);
