import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { holderExponent, holderpo } from "./holderpo.ts";

const WIDE = { clipLow: 0.9, clipHigh: 9 };
const row = { now: [0.2, -0.1, 0.4], oldLogprobs: [0, 0, 0], advantages: [1, 1, 1] };
const ratioAt = (exponent: number, options: object = {}) =>
  -computeRows(holderpo.create({ ...WIDE, exponent, ...options }), [row]).loss;

test("power means of the token ratios", () => {
  // p 1: (1.221403 + 0.904837 + 1.491825) / 3 = 1.206022. p 0: e^(0.5 / 3) = 1.181360.
  // p 2: sqrt((1.491825 + 0.818731 + 2.225541) / 3) = 1.229647.
  for (const [exponent, expected] of [
    [2, 1.229647],
    [1, 1.206022],
    [0, 1.18136],
    [-1, 1.156416],
    [-2, 1.132023],
  ] as const) {
    expect(ratioAt(exponent)).toBeCloseTo(expected, 6);
  }
});

test("far exponents come to the largest and the smallest ratio without overflow", () => {
  expect(ratioAt(5000)).toBeCloseTo(Math.exp(0.4), 3);
  expect(ratioAt(-5000)).toBeCloseTo(Math.exp(-0.1), 3);
});

test("the whole row is clipped by its ratio", () => {
  // 1.229647 is above 1.2, and A > 0: the loss is -1.2 and nothing moves.
  const { loss, slopes } = computeRows(holderpo.create({ exponent: 2 }), [row]);
  expect(loss).toBeCloseTo(-1.2, 6);
  expect(slopes[0]).toEqual([0, 0, 0]);
});

test("tokens may be held first", () => {
  // ln 1.1 = 0.09531: 0.09531, -0.09531, 0.09531; geometric mean e^(0.09531 / 3) = 1.032280.
  expect(ratioAt(0, { tokenClip: 0.1 })).toBeCloseTo(1.03228, 6);
});

test("the exponent goes from 2 to -2", () => {
  expect([0, 250, 500, 900].map((step) => holderExponent(step))).toEqual([2, 0, -2, -2]);
  expect(holderExponent(250, { annealing: "constant" })).toBe(2);
  // Half way: sin(pi / 4) = 0.707107, (1 - cos(pi / 2)) / 2 = 0.5, 0.25.
  expect(holderExponent(250, { annealing: "sine" })).toBeCloseTo(2 - 4 * Math.SQRT1_2, 12);
  expect(holderExponent(250, { annealing: "cosine" })).toBeCloseTo(0, 12);
  expect(holderExponent(250, { annealing: "power" })).toBe(1);
  // By the step of the objective itself.
  const { loss } = computeRows(holderpo.create({ ...WIDE, step: 250 }), [row]);
  expect(-loss).toBeCloseTo(1.18136, 6);
});

test("no difference, no loss; a row has one loss and no token weights", () => {
  expect(computeRows(holderpo.create(), [{ ...row, advantages: [0, 0, 0] }]).loss).toBeCloseTo(0, 12);
  expect(() => computeRows(holderpo.create(), [{ ...row, weights: [1, 1, 1] }])).toThrow(/one loss for a row/);
  expect(() => holderpo.create({ annealing: "up" as never })).toThrow(/annealing of holderpo is "up"/);
});
