import { expect, test } from "vitest";
import { normalCdf, normalQuantile } from "./normal.ts";

test("normal quantiles agree with the published table, in both tails and the middle", () => {
  expect(normalQuantile(0.5)).toBe(0);
  expect(normalQuantile(0.975)).toBeCloseTo(1.959964, 6);
  expect(normalQuantile(0.995)).toBeCloseTo(2.575829, 6);
  expect(normalQuantile(0.001)).toBeCloseTo(-3.090232, 6);
});

test("normal probabilities agree with the published table, and undo the quantiles", () => {
  expect(normalCdf(0)).toBe(0.5);
  expect(normalCdf(1)).toBeCloseTo(0.841344746, 9);
  expect(normalCdf(-1.959963985)).toBeCloseTo(0.025, 9);
  // The tail at -7 is 1.279813e-12; from 0.5 downwards the series would have lost it.
  expect(normalCdf(-7) / 1.279813e-12).toBeCloseTo(1, 5);
  expect(normalCdf(7)).toBeLessThanOrEqual(1);
  for (const p of [0.001, 0.02, 0.3, 0.77, 0.999]) expect(normalCdf(normalQuantile(p))).toBeCloseTo(p, 8);
});
