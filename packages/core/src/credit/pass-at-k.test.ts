import { expect, test } from "vitest";
import { answers, episodes, plainSteps, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { passAtK } from "./pass-at-k.ts";

test("the best learns by its lead over the second", () => {
  // 0.9 - 0.5 = 0.4. Mean 0.533333, squares 0.246667, / 2, std 0.351188: 0.4 / 0.351189 = 1.138986.
  expect(rowAdvantages(passAtK, answers([0.2, 0.9, 0.5]))).toEqual([0, 1.138986, 0]);
  expect(rowAdvantages(passAtK, answers([0.2, 0.9, 0.5]), { normByStd: false })).toEqual([0, 0.4, 0]);
});

test("a shared lead is no lead", () => expect(rowAdvantages(passAtK, answers([1, 0, 1]))).toEqual([0, 0, 0]));

test("all steps of the best trajectory share it", () => {
  const batch = episodes({ X: { outcome: 1, steps: plainSteps(2) }, Y: { outcome: 0.25, steps: plainSteps(1) } });
  // 0.75 over the deviation of 1 and 0.25, 0.75 / sqrt(2) = 0.530330: 0.75 / 0.530331 = 1.414211.
  expect(rowAdvantages(passAtK, batch)).toEqual([1.414211, 1.414211, 0]);
});

test("one trajectory is refused, or gets 0", () => {
  expect(() => rowAdvantages(passAtK, answers([1]))).toThrow(/Task "task" has 1 trajectory; .*singleton=zero/);
  expect(rowAdvantages(passAtK, answers([1]), { singleton: "zero" })).toEqual([0]);
});

publishedCredit("pass-at-k", passAtK);
