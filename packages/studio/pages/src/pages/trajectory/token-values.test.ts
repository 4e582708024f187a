import { expect, test } from "vitest";
import { factsOf, tokenText, valuesOf } from "./token-values.ts";

const tokens = {
  ids: [7, 9],
  texts: ["go", " to"],
  mask: [1, 1],
  probability: [0.5, 0.25],
  sampledProbability: null,
  entropy: null,
  advantage: [1.1, -0.2],
  terms: [
    { name: "outcome", weight: 1, values: [0.8, 0.8] },
    { name: "teacher", weight: 0.5, values: [0.6, -2] },
  ],
  shift: [0.6, -2],
  divergence: [0.3, 1.5],
  teacher: "step" as const,
};

test("the parts of an advantage add up to it", () => {
  const { parts, advantage } = factsOf(tokens, 3, 1, [0.1, 0.2]);
  // 1 * 0.8 + 0.5 * -2 = 0.8 - 1 = -0.2.
  expect(parts).toEqual([
    { name: "outcome", weight: 1, value: 0.8, adds: 0.8 },
    { name: "teacher", weight: 0.5, value: -2, adds: -1 },
  ]);
  expect(parts.reduce((sum, { adds }) => sum + adds, 0)).toBeCloseTo(advantage ?? Number.NaN, 12);
});

test("each measure has its own array, and entropies may come later", () => {
  expect(valuesOf(tokens, "advantage", undefined)).toEqual([1.1, -0.2]);
  expect(valuesOf(tokens, "teacher", undefined)).toEqual([0.6, -2]);
  expect(valuesOf(tokens, "divergence", undefined)).toEqual([0.3, 1.5]);
  expect(valuesOf(tokens, "probability", undefined)).toEqual([0.5, 0.25]);
  expect(valuesOf(tokens, "entropy", undefined)).toBeNull();
  expect(valuesOf(tokens, "entropy", [0.1, null])).toEqual([0.1, null]);
  expect(factsOf(tokens, 0, 1, [0.1, null]).entropy).toBeUndefined();
});

test("a token without a text is known by its number", () => {
  expect(tokenText(tokens, 1)).toBe(" to");
  expect(tokenText({ ...tokens, texts: null }, 1)).toBe("#9 ");
});
