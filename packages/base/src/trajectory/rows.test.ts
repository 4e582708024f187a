import fc from "fast-check";
import { expect, test } from "vitest";
import { forest } from "../../../../test/support/forests.ts";
import { byGroup, byTask, discountedReturns, totalScore } from "./rows.ts";
import { scored, scoreValue, unscored } from "./score.ts";

test("discounted returns by hand", () => {
  // G2 = 4; G1 = 2 + 0.5 * 4 = 4; G0 = 1 + 0.5 * 4 = 3.
  expect([...discountedReturns([1, 2, 4], 0.5)]).toEqual([3, 4, 4]);
  // Cut off with 8 to come: G2 = 4 + 4 = 8; G1 = 2 + 4 = 6; G0 = 1 + 3 = 4.
  expect([...discountedReturns([1, 2, 4], 0.5, 8)]).toEqual([4, 6, 8]);
  expect([...discountedReturns([], 0.9)]).toEqual([]);
});

test("a total counts what was scored and says why when nothing was", () => {
  expect(totalScore([scored(1), unscored("judge timed out"), scored(2.5)])).toEqual(scored(3.5));
  expect(totalScore([unscored("judge timed out")])).toEqual(unscored("judge timed out"));
  expect(totalScore([])).toEqual(unscored("there is no score"));
  expect([scoreValue(scored(0)), scoreValue(unscored("x"))]).toEqual([0, undefined]);
});

test("groups hold every trajectory exactly once", () => {
  fc.assert(
    fc.property(forest, (trajectories) => {
      for (const groups of [byGroup(trajectories), byTask(trajectories)]) {
        expect(new Set(groups.map((group) => group.id)).size).toBe(groups.length);
        expect(new Set(groups.flatMap((group) => group.trajectories))).toEqual(new Set(trajectories));
      }
    }),
  );
});
