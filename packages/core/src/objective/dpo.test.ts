import { expect, test } from "vitest";
import { computeRows, type ResponseRow } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { dpo } from "./dpo.ts";

const side = (rank: number, ratios: number[], pair = "p"): ResponseRow => ({
  now: ratios,
  referenceLogprobs: ratios.map(() => 0),
  pair,
  rank,
});

test("two steps", () => {
  // Better: 0.5 + 0.5 = 1. Worse: -1. m = 0.1 * 2 = 0.2. -log sigmoid(0.2) = 0.598139.
  // Slope: 0.1 (sigmoid(0.2) - 1) = 0.1 * -0.450166 on the better side, the opposite on the worse.
  const { loss, slopes, metrics } = computeRows(dpo.create(), [side(1, [0.5, 0.5]), side(0, [-1])]);
  expect(loss).toBeCloseTo(0.598139, 6);
  for (const slope of slopes[0] as number[]) expect(slope).toBeCloseTo(-0.0450166, 6);
  expect(slopes[1]?.[0]).toBeCloseTo(0.0450166, 6);
  expect(metrics).toMatchObject({ pairs: 1, accuracy: 1 });
  expect(metrics["margin"]).toBeCloseTo(0.2, 12);
});

test("policies equal to the reference lose log 2", () => {
  expect(computeRows(dpo.create(), [side(1, [0]), side(0, [0, 0])]).loss).toBeCloseTo(Math.LN2, 12);
});

test("label smoothing", () => {
  // m = 0.2: 0.9 * 0.598139 + 0.1 * (0.598139 + 0.2) = 0.618139.
  const { loss } = computeRows(dpo.create({ labelSmoothing: 0.1 }), [side(1, [1]), side(0, [-1])]);
  expect(loss).toBeCloseTo(0.618139, 6);
});

test("means over tokens, so that length does not decide", () => {
  // Better: mean 0.5; worse: -1. m = 0.15; -log sigmoid(0.15) = 0.620957.
  const { loss } = computeRows(dpo.create({ average: true }), [side(1, [0.5, 0.5]), side(0, [-1])]);
  expect(loss).toBeCloseTo(0.620957, 6);
});

test("trajectories: the steps of a side are added up", () => {
  // Better: 0.5 + 0.5 in two rows. Worse: -1. The same 0.2 as in one row.
  const rows = [side(1, [0.5]), side(0, [-1]), side(1, [0.5])];
  expect(computeRows(dpo.create({ level: "trajectory" }), rows).loss).toBeCloseTo(0.598139, 6);
  expect(() => computeRows(dpo.create(), rows)).toThrow('rows 0 and 2 of pair "p" both have rank 1');
});

test("three ranks give three comparisons", () => {
  // Margins 2, 1, 0 at beta 1: m = 1, 2, 1. (0.3132617 + 0.1269280 + 0.3132617) / 3 = 0.2511505.
  const { loss, metrics } = computeRows(dpo.create({ beta: 1 }), [side(0, [0]), side(2, [2]), side(1, [1])]);
  expect(loss).toBeCloseTo(0.2511505, 6);
  expect(metrics["pairs"]).toBe(3);
});

test("what cannot be compared is named", () => {
  expect(() => computeRows(dpo.create(), [side(1, [0])])).toThrow('pair "p" (row 0) has one rank only');
  expect(() => computeRows(dpo.create(), [{ now: [0], rank: 1 }])).toThrow("row 0 has no pair");
  expect(() => computeRows(dpo.create(), [side(1, [0]), { now: [0], pair: "p" }])).toThrow("row 1");
  const bare = { now: [0], pair: "p", rank: 0 };
  expect(() => computeRows(dpo.create(), [side(1, [0]), bare])).toThrow("row 1 has no referenceLogprobs");
  expect(() => dpo.create({ beta: 0 })).toThrow("beta of dpo is 0");
});

publishedObjective("dpo", dpo);
