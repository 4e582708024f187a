import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { sapo } from "./sapo.ts";

const one = (ratio: number, advantage: number) => {
  const { loss, slopes } = computeRows(sapo.create(), [
    { now: [Math.log(ratio)], oldLogprobs: [0], advantages: [advantage] },
  ]);
  return { loss, slope: slopes[0]?.[0] as number };
};

test("the gate at a ratio of 1.2", () => {
  // A > 0: 4 sigmoid(0.2) = 2.199336. A < 0: 4 / 1.05 sigmoid(0.21) = 2.104030.
  expect(one(1.2, 1).loss).toBeCloseTo(-2.199336, 6);
  expect(one(1.2, -1).loss).toBeCloseTo(2.10403, 6);
});

test("at a ratio of 1 the gate is 2 / tau and its slope 1", () => {
  expect(one(1, 1).loss).toBeCloseTo(-2, 12);
  expect(one(1, -1).loss).toBeCloseTo(2 / 1.05, 12);
  expect(one(1, 3).slope).toBeCloseTo(-3, 12);
  expect(one(1, -3).slope).toBeCloseTo(3, 12);
});

test("a temperature of 0 is refused", () => {
  expect(() => sapo.create({ tauPositive: 0 })).toThrow("tauPositive of sapo is 0; it takes a number above 0");
});

publishedObjective("sapo", sapo);
