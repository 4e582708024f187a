import fc from "fast-check";
import { expect, test } from "vitest";
import { createRng } from "../rng.ts";
import { boundedDifference, boundedMean, shareDifference, wilson } from "./share.ts";

test("Wilson interval of 8 successes in 10 trials", () => {
  // z^2 = 3.841459; scale 1.384146; centre (0.8 + 0.192073) / 1.384146 = 0.716740;
  // half 1.959964 * sqrt(0.016 + 0.009604) / 1.384146 = 1.959964 * 0.160011 / 1.384146 = 0.226577.
  const { low, high } = wilson(8, 10);
  expect(low).toBeCloseTo(0.490162, 5);
  expect(high).toBeCloseTo(0.943317, 5);
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
  expect(wilson(0, 5).low).toBe(0);
  expect(wilson(5, 5).high).toBe(1);
  expect(() => wilson(3, 2)).toThrow(/3 successes of 2 trials/);
});

test("a Wilson interval holds the share and narrows as trials grow", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(), (trials, draw) => {
      const successes = draw % (trials + 1);
      const one = wilson(successes, trials);
      const ten = wilson(successes * 10, trials * 10);
      const share = successes / trials;
      expect(one.low <= share && share <= one.high).toBe(true);
      expect(ten.high - ten.low).toBeLessThan(one.high - one.low);
    }),
  );
});

test("the mean of zeros and ones has the Wilson interval", () => {
  const [low, high] = [wilson(8, 10).low, wilson(8, 10).high];
  expect(boundedMean([1, 1, 0, 1, 1, 1, 0, 1, 1, 1])).toEqual({ mean: 0.8, low, high });
  expect(boundedMean([])).toEqual({ mean: NaN, low: 0, high: 1 });
  expect(() => boundedMean([0.5, 1.5])).toThrow(/Value 1\.5 at 1 is outside 0 to 1/);
});

test("values between have a narrower one, and equal values still have one", () => {
  // Mean 0.5; s^2 = 4 (0.1^2) / 3 = 0.013333; s^2 / n = 0.003333; as many trials as 0.25 / 0.003333 = 75.
  const { low, high } = boundedMean([0.4, 0.6, 0.4, 0.6]);
  const plain = wilson(37.5, 75);
  expect(low).toBeCloseTo(plain.low, 9);
  expect(high).toBeCloseTo(plain.high, 9);
  expect(boundedMean([1, 1, 1])).toEqual({ mean: 1, ...wilson(3, 3) });
  expect(boundedMean([0.1, 0.1, 0.1]).high).toBeCloseTo(wilson(0.3, 3).high, 9);
  // Two tries behind each of four values are at most eight trials.
  expect(boundedMean([0.4, 0.6, 0.4, 0.6], 0.95, 2).low).toBeCloseTo(wilson(4, 8).low, 9);
});

test("difference of two shares on the same tasks, worked by hand", () => {
  // 3 won, 1 lost, 6 alike. With half a win, half a loss and a draw more: n 12, mean 2 / 12 = 0.166667,
  // variance (4 + 1) / 12 - 0.027778 = 0.388889, half 1.959964 sqrt(0.388889 / 12) = 0.352834.
  const { difference, low, high } = boundedDifference([1, 1, 1, -1, 0, 0, 0, 0, 0, 0]);
  expect(difference).toBeCloseTo(0.2, 12);
  expect(low).toBeCloseTo(-0.186167, 5);
  expect(high).toBeCloseTo(0.519501, 5);
  // Nothing differed on three tasks: n 5, variance 1 / 5, half 1.959964 sqrt(0.04) = 0.391993.
  expect(boundedDifference([0, 0, 0]).high).toBeCloseTo(0.391993, 5);
  expect(() => boundedDifference([2])).toThrow(/Difference 2 at 0 is outside -1 to 1/);
});

test("difference of two shares of different trials: Newcombe's own example", () => {
  // 56 of 70 against 48 of 80: he prints 0.0524 to 0.3339 for the method he numbers 10.
  const { difference, low, high } = shareDifference({ successes: 56, trials: 70 }, { successes: 48, trials: 80 });
  expect(difference).toBeCloseTo(0.2, 12);
  expect(low).toBeCloseTo(0.0524, 3);
  expect(high).toBeCloseTo(0.3339, 3);
  expect(shareDifference({ successes: 0, trials: 0 }, { successes: 1, trials: 2 })).toMatchObject({ low: -1, high: 1 });
});

/** Share of simulated samples whose interval holds the truth. */
function covered(simulations: number, truth: number, interval: () => { low: number; high: number }): number {
  let hits = 0;
  for (let index = 0; index < simulations; index += 1) {
    const { low, high } = interval();
    if (low <= truth && truth <= high) hits += 1;
  }
  return hits / simulations;
}

test("95% intervals of shares cover in about 95 of 100 simulated evaluations", () => {
  // 2,000 simulations of a true 0.95 spread by sqrt(0.95 · 0.05 / 2000) = 0.0049; three of those are 0.015. Counts are
  // whole numbers, so a share's interval cannot cover by exactly 0.95: another 0.01 either way for n = 40.
  const rng = createRng("coverage of shares");
  const draw = (chance: number): number => (rng.float() < chance ? 1 : 0);
  const solved = (): number => Array.from({ length: 40 }, () => draw(0.3)).reduce((sum, one) => sum + one, 0);
  const shares = covered(2_000, 0.3, () => wilson(solved(), 40));
  // Four tries a task, tasks of unequal difficulty (chance uniform): mean 0.5.
  const means = covered(2_000, 0.5, () =>
    boundedMean(
      Array.from({ length: 40 }, () => {
        const chance = rng.float();
        return (draw(chance) + draw(chance) + draw(chance) + draw(chance)) / 4;
      }),
    ),
  );
  const differences = covered(2_000, 0.1, () =>
    boundedDifference(Array.from({ length: 40 }, () => draw(0.35) - draw(0.25))),
  );
  for (const share of [shares, means, differences]) {
    expect(share).toBeGreaterThan(0.925);
    expect(share).toBeLessThan(0.975);
  }
});
