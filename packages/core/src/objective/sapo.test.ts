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
  // A row's mean divides by its tokens and 1e-8.
  const row = 1 / (1 + 1e-8);
  expect(one(1, 1).loss).toBeCloseTo(-2 * row, 12);
  expect(one(1, -1).loss).toBeCloseTo((2 / 1.05) * row, 12);
  expect(one(1, 3).slope).toBeCloseTo(-3 * row, 12);
  expect(one(1, -3).slope).toBeCloseTo(3 * row, 12);
});

test("a mean over rows of each row's mean", () => {
  // Rows of 1 and of 3 tokens, ratio 1: losses -2 and 3 times 2 / 1.05 = 1.904762. (-2 + 1.904762) / 2 = -0.047619.
  const rows = [1, 3].map((length, at) => ({
    now: Array.from({ length }, () => -1),
    oldLogprobs: Array.from({ length }, () => -1),
    advantages: Array.from({ length }, () => (at === 0 ? 1 : -1)),
  }));
  expect(computeRows(sapo.create(), rows).loss).toBeCloseTo(-0.047619, 6);
  expect(() => sapo.create({ aggregation: "token-mean" as never })).toThrow("seq-mean-token-mean");
});

test("a temperature of 0 is refused", () => {
  expect(() => sapo.create({ tauPositive: 0 })).toThrow("tauPositive of sapo is 0; it takes a number above 0");
});

publishedObjective("sapo", sapo);
