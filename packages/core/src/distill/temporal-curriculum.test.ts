import fc from "fast-check";
import { expect, test } from "vitest";
import { givenTurns, playedTurns } from "./temporal-curriculum.ts";

test("the worked stages: a turn more every five steps", () => {
  expect([0, 4, 5, 12, 200].map((step) => playedTurns(step, 5, 30))).toEqual([1, 1, 2, 3, 30]);
  expect([0, 5, 25, 60].map((step) => givenTurns(step, 5, 10))).toEqual([9, 8, 4, 0]);
});

test("both only ever hand more turns to the student, and end with the whole episode", () => {
  fc.assert(
    fc.property(fc.nat(400), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 40 }), (step, period, turns) => {
      expect(playedTurns(step + 1, period, turns)).toBeGreaterThanOrEqual(playedTurns(step, period, turns));
      expect(givenTurns(step + 1, period, turns)).toBeLessThanOrEqual(givenTurns(step, period, turns));
      expect(playedTurns(period * turns, period, turns)).toBe(turns);
      expect(givenTurns(period * turns, period, turns)).toBe(0);
    }),
  );
});
