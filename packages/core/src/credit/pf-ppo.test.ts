import { expect, test } from "vitest";
import { answers, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { createRng } from "limbeck-base/base/rng";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { drawProbabilities, drawRows, pfPpo } from "./pf-ppo.ts";

const scores = Float64Array.of(1, 0.5, 0);

test("probabilities of the three schemes", () => {
  // Squares 1, 0.25, 0: 0.8, 0.2, 0. Largest and smallest: half each. 0.4, 0.1, 0.1 of 0.6.
  expect(Array.from(drawProbabilities(scores, "pow"), round)).toEqual([0.8, 0.2, 0]);
  expect(Array.from(drawProbabilities(scores, "max_min"), round)).toEqual([0.5, 0, 0.5]);
  expect(Array.from(drawProbabilities(scores, "max_random"), round)).toEqual([0.666667, 0.166667, 0.166667]);
});

test("a row counts as often as it would be drawn", () => {
  // Centred 0.5, 0, -0.5; times 3 * 0.8 = 2.4, 0.6, 0. max_min: 3 * 0.5 = 1.5.
  expect(rowAdvantages(pfPpo, answers([1, 0.5, 0]))).toEqual([1.2, 0, 0]);
  expect(rowAdvantages(pfPpo, answers([1, 0.5, 0]), { scheme: "max_min" })).toEqual([0.75, 0, -0.75]);
});

test("drawing agrees with the probabilities", () => {
  const drawn = drawRows(drawProbabilities(scores, "pow"), 4000, createRng(1));
  const share = drawn.filter((row) => row === 0).length / drawn.length;
  // Standard error sqrt(0.8 * 0.2 / 4000) = 0.0063.
  expect(Math.abs(share - 0.8)).toBeLessThan(0.03);
  expect(drawn).not.toContain(2);
});

publishedCredit("pf-ppo", pfPpo);
