import { expect, test } from "vitest";
import { groupAdvantages } from "./groups.ts";

// A group of three and one alone.
const groups = { of: Int32Array.of(0, 0, 1, 0), count: 2 };
const values = Float64Array.of(1, 3, 7, 8);

test("against the mean, or against a baseline of one's own", () => {
  // Mean of 1, 3, 8 is 4.
  const centred = { scale: false, singleton: "zero" };
  expect(groupAdvantages(values, groups, centred).advantages).toEqual(Float64Array.of(-3, -1, 0, 4));
  // Against 2: the one alone follows the rule for groups of one, not its baseline.
  const own = { ...centred, baseline: Float64Array.of(2, 5) };
  expect(groupAdvantages(values, groups, own).advantages).toEqual(Float64Array.of(-1, 1, 0, 6));
  expect(groupAdvantages(values, groups, { ...own, singleton: "raw" }).advantages[2]).toBe(7);
});

test("the deviation is taken about the baseline, and the floor before the root", () => {
  // Squares about 4: 9 + 1 + 16 = 26; over n - 1: 13; over n: 26 / 3.
  const scaled = (options: object) => groupAdvantages(values, groups, { singleton: "raw", epsilon: 0, ...options });
  expect(scaled({}).advantages[0]).toBeCloseTo(-3 / Math.sqrt(13), 12);
  expect(scaled({ deviation: "population" }).advantages[0]).toBeCloseTo(-3 / Math.sqrt(26 / 3), 12);
  expect(scaled({ varianceFloor: 25 }).advantages[0]).toBeCloseTo(-3 / 5, 12);
  // About 2: 1 + 1 + 36 = 38.
  expect(scaled({ baseline: Float64Array.of(2, 0) }).advantages[0]).toBeCloseTo(-1 / Math.sqrt(19), 12);
});

test("what does not count is compared all the same, and sizes are of what counts", () => {
  // The 8 is left out: mean of 1 and 3 is 2, and 8 - 2 = 6.
  const found = groupAdvantages(values, groups, {
    scale: false,
    singleton: "raw",
    counted: Uint8Array.of(1, 1, 1, 0),
  });
  expect(found.advantages).toEqual(Float64Array.of(-1, 1, 7, 6));
  expect([...found.sizes]).toEqual([2, 1]);
  expect(found.metrics).toEqual({ groups: 2, singletonGroups: 1, equalGroups: 0 });
});
