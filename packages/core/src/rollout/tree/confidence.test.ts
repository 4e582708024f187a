import { expect, test } from "vitest";
import { branchWidth, clipRange, confidenceOf, countPoor, majorityOf, nextAverage, toStop } from "../echo.ts";

test("width by entropy and confidence", () => {
  // 1 + floor(3 * 0.72) = 3;  1 + floor(3 * 0.24) = 1;  1 + floor(3 * 0.09) = 1
  expect(branchWidth(4, 0.8, 0.9)).toBe(3);
  expect(branchWidth(4, 0.8, 0.3)).toBe(1);
  expect(branchWidth(4, 0.1, 0.9)).toBe(1);
  expect(branchWidth(4, 7, 1)).toBe(4);
  expect(branchWidth(1, 1, 1)).toBe(1);
});

test("confidence is the geometric mean of the probabilities", () => {
  expect(confidenceOf([Math.log(0.5), Math.log(0.02)])).toBeCloseTo(0.1, 12);
  expect(confidenceOf([])).toBe(1);
});

test("the running mean takes a tenth of what is new", () => {
  expect(nextAverage(undefined, 0.4, 0.9)).toBe(0.4);
  expect(nextAverage(0.4, 0.9, 0.9)).toBeCloseTo(0.45, 12);
});

test("poor is below the mean by one deviation, three times in a row", () => {
  // 0.8 0.8 0.8 0.4: mean 0.7, population deviation 0.173205: below 0.526795 is poor.
  let all = [0.8, 0.8, 0.8, 0.4].map((average) => ({ average, poor: 0 }));
  for (let check = 0; check < 2; check += 1) all = countPoor(all, 1);
  expect(all.map(({ poor }) => poor)).toEqual([0, 0, 0, 2]);
  expect(toStop(all, 3, 2)).toEqual([]);
  all = countPoor(all, 1);
  expect(toStop(all, 3, 2)).toEqual([3]);
  const better = countPoor([...all.slice(0, 3), { average: 0.8, poor: 3 }], 1);
  expect(better.at(-1)?.poor).toBe(0);
});

test("the poorest go first and the least number stays", () => {
  const all = [0.5, 0.1, 0.3].map((average) => ({ average, poor: 3 }));
  expect(toStop(all, 3, 1)).toEqual([1, 2]);
  expect(toStop(all, 3, 2)).toEqual([1]);
  expect(toStop(all.slice(0, 1), 3, 2)).toEqual([]);
});

test("the majority, of equal ones the first seen, and what it is worth", () => {
  expect(majorityOf(["b", "a", "a", "b"])).toEqual({ answer: "b", share: 0.5 });
  expect(majorityOf(["b", "a", "a"])).toEqual({ answer: "a", share: 2 / 3 });
  expect(majorityOf([])).toBeUndefined();
  expect(clipRange(0.25)).toBeCloseTo(0.15, 12);
  expect(clipRange(1)).toBeCloseTo(0.3, 12);
});
