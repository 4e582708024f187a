import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleTrajectory, totals } from "../../../../test/support/reward.ts";
import { createRng } from "limbeck-base/base/rng";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Reward } from "limbeck-base/trajectory/trajectory";
import { tiers } from "./tiers.ts";

const at = (value: number) => sampleTrajectory(`x${value}`, { reward: scored(value) });

test("full progress counts 1, and beside it the tier's number of steps: k (k + 1) / (K (K + 1))", () => {
  // Edges 0.25, 0.5, 0.75, 1: tiers 4, 2, 1, 0. 1 + 4 * 5 / 20 = 2, 2 * 3 / 20 = 0.3, 1 * 2 / 20 = 0.1, 0.
  expect(totals(tiers, [at(1), at(0.6), at(0.3), at(0.1)])).toEqual([2, 0.3, 0.1, 0]);
  expect(totals(tiers, [at(1), at(0.6), at(0.3), at(0.1)], { alpha: 0.5 })).toEqual([1.5, 0.15, 0.05, 0]);
  expect(totals(tiers, [at(1), at(0.6), at(0.3), at(0.1)], { correctness: 0 })).toEqual([1, 0.3, 0.1, 0]);
  // Clipped at both ends.
  expect(totals(tiers, [at(7), at(-3)])).toEqual([2, 0]);
});

test("one edge is pass or fail; own values; distances", () => {
  expect(totals(tiers, [at(1), at(0.99)], { edges: [1], correctness: 0 })).toEqual([1, 0]);
  expect(totals(tiers, [at(1), at(0.5)], { edges: [0.5, 1], values: [-1, 0, 5] })).toEqual([6, 0]);
  // Distance 2 of 8 is progress 0.75: tier 3, 3 * 4 / 20 = 0.6.
  expect(totals(tiers, [at(2), at(8), at(0)], { maxDistance: 8 })).toEqual([0.6, 0, 2]);
});

test("what was cut off gets its best verified step", () => {
  const progress = (score: number, step?: number): Reward => ({
    name: "progress",
    source: "test",
    score: scored(score),
    ...(step === undefined ? {} : { step }),
  });
  const rewards = [progress(0.8, 0), progress(0.2, 1), progress(0.2)];
  const options = { of: "progress" };
  expect(totals(tiers, [sampleTrajectory("a", { rewards, ending: "truncated" })], options)).toEqual([0.6]);
  expect(totals(tiers, [sampleTrajectory("b", { rewards })], options)).toEqual([0]);
});

test("unscored stays unscored, and wrong edges or values are named", () => {
  expect(totals(tiers, [sampleTrajectory("a", { reward: unscored("lost") })])).toEqual(["unscored: lost"]);
  expect(() => totals(tiers, [], { edges: [0.5, 0.5] })).toThrow(
    "edges of tiers is [0.5,0.5]; it takes numbers that rise",
  );
  expect(() => totals(tiers, [], { values: [0, 1] })).toThrow(
    "values of tiers is [0,1]; it takes one number more than edges",
  );
  expect(() => totals(tiers, [], { edges: [1], values: [1, 0] })).toThrow(
    "values of tiers is [1,0]; it takes numbers none of which falls",
  );
  expect(() => totals(tiers, [], { edge: [1] })).toThrow('No option of tiers "edge". Did you mean "edges"?');
});

test("order is kept: more progress never earns less", () => {
  fc.assert(
    fc.property(fc.double({ min: -1, max: 2, noNaN: true }), fc.double({ min: -1, max: 2, noNaN: true }), (a, b) => {
      const [low, high] = totals(tiers, [
        sampleTrajectory("low", { reward: scored(Math.min(a, b)) }),
        sampleTrajectory("high", { reward: scored(Math.max(a, b)) }),
      ]);
      expect(Number(low)).toBeLessThanOrEqual(Number(high));
    }),
  );
});

test("tiers leave fewer groups without a difference than pass or fail", () => {
  const rng = createRng("zones");
  let [binary, graded] = [0, 0];
  for (let group = 0; group < 500; group += 1) {
    // A hard task: progress is even, and full success rare.
    const batch = Array.from({ length: 8 }, (_, own) =>
      sampleTrajectory(`${group}/${own}`, { reward: scored(rng.float() < 0.02 ? 1 : 0.98 * rng.float()) }),
    );
    const flat = (options: Record<string, unknown>) => new Set(totals(tiers, batch, options)).size === 1;
    if (flat({ edges: [1] })) binary += 1;
    if (flat({})) graded += 1;
  }
  // Pass or fail: 0.98^8 = 0.85 of the groups are all failures, 425 of 500. Four tiers: below 4 * 0.26^8, none.
  expect(binary).toBeGreaterThan(390);
  expect(graded).toBeLessThan(5);
});
