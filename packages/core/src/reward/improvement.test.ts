import { expect, test } from "vitest";
import { stepTotals, totals, withSteps } from "../../../../test/support/reward.ts";
import { improvement } from "./improvement.ts";

test("the end, and a share of the bonus for every round that was better", () => {
  const batch = [withSteps("a", [0.2, 0.5, 0.4, 0.7])];
  // Better in two of three rounds: 0.7 + 0.5 * 2 / 3
  expect(totals(improvement, batch)).toEqual([1.033333333]);
  expect(stepTotals(improvement, batch)).toEqual([[0, 0.166666667, 0, 0.166666667]]);
  // With a margin of 0.5 the jump of 1 counts and that of 0.25 does not: 1.25 + 0.5 / 2
  expect(totals(improvement, [withSteps("a", [0, 1, 1.25])], { margin: 0.5 })).toEqual([1.5]);
  // Beside an outcome of its own the bonus stands alone.
  expect(totals(improvement, [withSteps("a", [0, 1, 1.25])], { margin: 0.5, end: false })).toEqual([0.25]);
});

test("more rounds alone earn nothing", () => {
  const [short, long] = totals(improvement, [withSteps("a", [0.5, 0.6]), withSteps("b", [0.5, 0.6, 0.6, 0.6])]);
  expect(Number(short)).toBeGreaterThan(Number(long));
});

test("one round, no round", () => {
  expect(totals(improvement, [withSteps("a", [0.5]), withSteps("b", [])])).toEqual([0.5, "unscored: it has no steps"]);
});
