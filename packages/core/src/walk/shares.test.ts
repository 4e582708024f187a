import fc from "fast-check";
import { expect, test } from "vitest";
import { allocateChildren, childBudget, pathWeights, type Sharing } from "./shares.ts";

test("less likely paths weigh more: softmax of -(lp - min) / T", () => {
  // lp - min = [2, 0]: e^-2 / (e^-2 + 1) = 0.135335 / 1.135335
  const weights = pathWeights([-1, -3], "unlikely", 1);
  expect(weights.map((weight) => Number(weight.toFixed(6)))).toEqual([0.119203, 0.880797]);
  expect(pathWeights([-1, -3], "likely", 1)).toEqual(weights.toReversed());
  // T = 2 halves the exponent: e^-1 / (e^-1 + 1) = 0.268941
  expect(pathWeights([-1, -3], "unlikely", 2)[0]).toBeCloseTo(0.268941, 6);
  expect(pathWeights([-1, -3], "equal", 1)).toEqual([0.5, 0.5]);
  // Sums of log-probabilities of long paths neither overflow nor vanish.
  expect(pathWeights([-9_000, -9_000], "unlikely", 0.01)).toEqual([0.5, 0.5]);
});

test("six children by these weights are one and five", () => {
  expect(allocateChildren(6, pathWeights([-1, -3], "unlikely", 1), "unlikely")).toEqual([1, 5]);
});

test("equal shares give the remainder to the last", () => {
  expect(allocateChildren(7, [1 / 3, 1 / 3, 1 / 3], "equal")).toEqual([2, 2, 3]);
});

test("fewer children than paths: the weightiest are kept", () => {
  expect(allocateChildren(2, [0.2, 0.5, 0.3], "unlikely")).toEqual([0, 1, 1]);
  expect(allocateChildren(0, [1], "equal")).toEqual([0]);
});

test("the budget of a round", () => {
  const now = { width: 16, fanOut: 2, active: 3, finished: 4, finishedNow: 1 };
  // min(16 - 4, 2 * 1 + 2 * 3) = 8; with 10 finished only 6 places are left.
  expect(childBudget(now)).toBe(8);
  expect(childBudget({ ...now, finished: 10 })).toBe(6);
  expect(childBudget({ ...now, finished: 16 })).toBe(0);
});

test("all children are given away, and every path gets one where there are enough", () => {
  const sharings = fc.constantFrom<Sharing>("equal", "unlikely", "likely");
  const logprobs = fc.array(fc.double({ min: -500, max: 0, noNaN: true }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(logprobs, sharings, fc.nat(40), (paths, sharing, budget) => {
      const children = allocateChildren(budget, pathWeights(paths, sharing, 1), sharing);
      expect(children.reduce((sum, value) => sum + value, 0)).toBe(budget);
      expect(Math.min(...children)).toBeGreaterThanOrEqual(budget >= paths.length ? 1 : 0);
    }),
  );
});
