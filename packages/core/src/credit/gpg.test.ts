import { expect, test } from "vitest";
import { answers, assign, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { gpg } from "./gpg.ts";

test("centred scores times rows over rows that earned something", () => {
  // Two of four rows earned: alpha 2. 2 * (1 - 0.5) = 1, 2 * (0 - 0.5) = -1.
  expect(rowAdvantages(gpg, answers([1, 0, 1, 0]))).toEqual([1, -1, 1, -1]);
  expect(rowAdvantages(gpg, answers([1, 0, 1, 0]), { normaliser: 4 })).toEqual([0.25, -0.25, 0.25, -0.25]);
  expect(assign(gpg, answers([1, 0, 1, 0])).metrics["alpha"]).toBe(2);
});

test("nothing earned is alpha of all rows, and still 0", () => {
  expect(rowAdvantages(gpg, answers([0, 0]))).toEqual([0, 0]);
});

test("alone: the score, or 0", () => {
  expect(rowAdvantages(gpg, answers([0.7]))).toEqual([0.7]);
  expect(rowAdvantages(gpg, answers([0.7]), { singleton: "zero" })).toEqual([0]);
});

publishedCredit("gpg", gpg);
