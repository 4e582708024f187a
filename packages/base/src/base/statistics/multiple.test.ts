import fc from "fast-check";
import { expect, test } from "vitest";
import { holm, simultaneousConfidence } from "./multiple.ts";

test("Holm's adjusted p-values worked by hand", () => {
  // Sorted 0.01, 0.02, 0.03, 0.04: times 4, 3, 2, 1: 0.04, 0.06, 0.06 (0.06 is kept: never below an earlier one), 0.06.
  expect(holm([0.04, 0.01, 0.03, 0.02]).map((p) => Number(p.toFixed(9)))).toEqual([0.06, 0.04, 0.06, 0.06]);
  expect(holm([0.6, 0.7])).toEqual([1, 1]);
  expect(holm([])).toEqual([]);
  expect(() => holm([0.1, 1.2])).toThrow(/1\.2 is no p-value/);
});

test("an adjusted value is never below the plain one nor above Bonferroni's, and keeps the order", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 }), (pValues) => {
      const adjusted = holm(pValues);
      pValues.forEach((p, index) => {
        expect(adjusted[index]! >= p && adjusted[index]! <= Math.min(1, p * pValues.length)).toBe(true);
        pValues.forEach((other, at) => expect(p < other && adjusted[index]! > adjusted[at]!).toBe(false));
      });
    }),
  );
});

test("three intervals that are to hold together need 98.33% each", () => {
  expect(simultaneousConfidence(0.95, 3)).toBeCloseTo(1 - 0.05 / 3, 12);
  expect(simultaneousConfidence(0.95, 0)).toBe(0.95);
});
