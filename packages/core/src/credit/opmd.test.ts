import { expect, test } from "vitest";
import { answers, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { opmd } from "./opmd.ts";

test("against the mean", () => {
  expect(rowAdvantages(opmd, answers([1, 0, 0.5]))).toEqual([0.5, -0.5, 0]);
});

test("against the soft value", () => {
  // tau 0.5: exp(2) = 7.389056, exp(0) = 1; mean 4.194528; 0.5 * ln = 0.716890.
  const soft = { baseline: "soft", tau: 0.5 };
  expect(rowAdvantages(opmd, answers([1, 0]), soft)).toEqual([0.28311, -0.71689]);
});

test("alone: the score, or 0, whatever the baseline", () => {
  expect(rowAdvantages(opmd, answers([0.7]), { baseline: "soft" })).toEqual([0.7]);
  expect(rowAdvantages(opmd, answers([0.7]), { singleton: "zero" })).toEqual([0]);
});

publishedCredit("opmd", opmd);
