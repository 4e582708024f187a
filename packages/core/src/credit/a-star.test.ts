import { expect, test } from "vitest";
import { answers, assign, rowAdvantages, round } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { aStar } from "./a-star.ts";

test("score less the optimal value", () => {
  // beta 0.5: mean of exp(2) and 1 is 4.194528; 0.5 * ln = 0.716890.
  const { terms } = assign(aStar, answers([1, 0]));
  expect(Array.from(terms["optimalValue"]!.perRow!, round)).toEqual([0.71689, 0.71689]);
  expect(rowAdvantages(aStar, answers([1, 0]))).toEqual([0.28311, -0.71689]);
});

test("a large score over a small temperature stays finite", () => {
  // 1000 + 0.001 * ln(1 / 2) = 999.999307.
  expect(rowAdvantages(aStar, answers([1000, 0]), { beta: 0.001 })).toEqual([0.000693, -999.999307]);
});

test("alone the value is the score", () => expect(rowAdvantages(aStar, answers([0.7]))).toEqual([0]));

publishedCredit("a-star", aStar);
