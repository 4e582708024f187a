import { expect, test } from "vitest";
import { answers, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { drGrpo } from "./dr-grpo.ts";

test("subtracts the group's mean", () => {
  // Mean of [1, 0, 0, 1] is 0.5.
  expect(rowAdvantages(drGrpo, answers([1, 0, 0, 1]))).toEqual([0.5, -0.5, -0.5, 0.5]);
});

test("a group of one is raw, or 0", () => {
  expect(rowAdvantages(drGrpo, answers([0.7]))).toEqual([0.7]);
  expect(rowAdvantages(drGrpo, answers([0.7]), { singleton: "zero" })).toEqual([0]);
});

publishedCredit("dr-grpo", drGrpo);
