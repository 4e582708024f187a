import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory, stepTotals, totals } from "../../../../test/support/reward.ts";
import { discountedReturns } from "limbeck-base/trajectory/rows";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { progress, shapingReward } from "./progress.ts";

/** The observation is the potential. */
const potential = ({ observation }: { readonly observation: string }): number => Number(observation);
const path = (values: readonly number[], more: Partial<Trajectory> = {}): Trajectory =>
  sampleTrajectory("a", {
    steps: values.slice(0, -1).map((value, at) => sampleStep(at, { observation: String(value) })),
    closing: { observation: String(values.at(-1)) },
    ...more,
  });

test("steps are paid the discounted gain", () => {
  const batch = [path([0, 0.25, 0.75, 1])];
  // True end, so the last potential is 0: 0.25 - 0, 0.75 - 0.25, 0 - 0.75.
  expect(stepTotals(progress, batch, {}, { potential })).toEqual([[0.25, 0.5, -0.75]]);
  expect(totals(progress, batch, {}, { givens: { potential } })).toEqual([0]);
  // Kept end, gamma 0.5: 0.125 - 0, 0.375 - 0.25, 0.5 - 0.75; sum 0.125 + 0.0625 - 0.0625 = 0.125 = 0.5^3 * 1 - 0.
  const options = { gamma: 0.5, zeroAtEnd: false };
  expect(stepTotals(progress, batch, options, { potential })).toEqual([[0.125, 0.125, -0.25]]);
  expect(totals(progress, batch, options, { givens: { potential } })).toEqual([0.125]);
});

test("what was cut off ends at the last observation, or its last step has no score", () => {
  const cut = path([0, 1, 3], { ending: "truncated" });
  expect(stepTotals(progress, [cut], {}, { potential })).toEqual([[1, 2]]);
  const { closing: _, ...blind } = cut;
  expect(stepTotals(progress, [blind], {}, { potential })).toEqual([
    [1, "unscored: nobody kept what was seen after the last step"],
  ]);
});

test("a potential that fails or is no number", () => {
  const batch = [path([0, Number.NaN, 1])];
  expect(stepTotals(progress, batch, {}, { potential })[0]?.[0]).toContain("the potential is NaN");
  const throws = (): number => {
    throw new Error("no map");
  };
  expect(totals(progress, batch, {}, { givens: { potential: throws } })).toEqual([
    "unscored: the potential failed: no map",
  ]);
  expect(totals(progress, [path([1])], {}, { givens: { potential } })).toEqual(["unscored: it has no steps"]);
});

test("every way to a true end from one opening is paid the same, so no way is preferred", () => {
  const values = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.integer({ min: -9, max: 9 }),
      values,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (start, way, gamma) => {
        const [paid] = totals(progress, [path([start, ...way])], { gamma }, { givens: { potential } });
        expect(Number(paid)).toBeCloseTo(-start, 6);
      },
    ),
  );
});

test("the best policy of a small world stays the best with any potential added", () => {
  const world = fc.record({
    // Four states, two actions; state 3 is the end.
    next: fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 })), { minLength: 3, maxLength: 3 }),
    reward: fc.array(fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -5, max: 5 })), {
      minLength: 3,
      maxLength: 3,
    }),
    potentials: fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 3, maxLength: 3 }),
  });
  const gamma = 0.5;
  type Small = { readonly next: readonly (readonly number[])[]; readonly reward: readonly (readonly number[])[] };
  const best = ({ next, reward }: Small, extra: (from: number, to: number) => number): number[][] => {
    let values = [0, 0, 0, 0];
    let table: number[][] = [];
    for (let round = 0; round < 80; round += 1) {
      table = next.map((targets, state) =>
        targets.map(
          (target, action) => (reward[state]?.[action] ?? 0) + extra(state, target) + gamma * (values[target] ?? 0),
        ),
      );
      values = [...table.map((row) => Math.max(...row)), 0];
    }
    return table.map((row) => row.flatMap((value, action) => (value > Math.max(...row) - 1e-6 ? [action] : [])));
  };
  fc.assert(
    fc.property(world, (own) => {
      const phi = (state: number): number => (state === 3 ? 0 : (own.potentials[state] ?? 0));
      const shaped = best(own, (from, to) => shapingReward(phi(from), phi(to), gamma));
      expect(shaped).toEqual(best(own, () => 0));
    }),
  );
});

test("the sum is the discounted sum of the steps", () => {
  const batch = [path([2, 5, 1, 7], { ending: "truncated" })];
  const steps = (stepTotals(progress, batch, { gamma: 0.9 }, { potential })[0] ?? []).map(Number);
  expect(totals(progress, batch, { gamma: 0.9 }, { givens: { potential } })[0]).toBeCloseTo(
    discountedReturns(steps, 0.9)[0] ?? 0,
    6,
  );
});
