import { expect, test } from "vitest";
import { balancedWeight, movedAverage, NO_AVERAGES } from "./loss-balance.ts";

const OPTIONS = { base: 1, decay: 0.9, least: 0.1, most: 10 };

test("the worked averages and their ratio", () => {
  // 0.9 * 2 + 0.1 * 1 = 1.9; 0.9 * 0.5 + 0.1 * 0.7 = 0.52; 1.9 / 0.52 = 3.653846.
  const tuning = movedAverage(2, 1, 0.9);
  const teaching = movedAverage(0.5, 0.7, 0.9);
  expect(tuning).toBeCloseTo(1.9, 12);
  expect(teaching).toBeCloseTo(0.52, 12);
  expect(balancedWeight({ tuning, teaching }, OPTIONS)).toBeCloseTo(3.653846, 6);
  expect(balancedWeight({ tuning, teaching }, { ...OPTIONS, base: 0.5 })).toBeCloseTo(1.826923, 6);
});

test("the edges: no loss yet, a loss that did not arise, a loss of nothing, bounds", () => {
  expect(balancedWeight(NO_AVERAGES, OPTIONS)).toBe(1);
  expect(movedAverage(null, 3, 0.9)).toBe(3);
  expect(movedAverage(2, null, 0.9)).toBe(2);
  expect(balancedWeight({ tuning: 1, teaching: 0 }, OPTIONS)).toBe(10);
  expect(balancedWeight({ tuning: 1e-3, teaching: 1 }, OPTIONS)).toBe(0.1);
  expect(balancedWeight({ tuning: 1e3, teaching: 1 }, OPTIONS)).toBe(10);
});
