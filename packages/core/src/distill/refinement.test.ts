import { expect, test } from "vitest";
import { isRefined, leftOut, wordCosine } from "./refinement.ts";

test("the cosine of word counts", () => {
  // go 2, east 1, west 1 against go 1, east 1: (2 + 1) / (sqrt 6 sqrt 2) = 0.866025.
  expect(wordCosine(["go east", "go west"], ["Go east"])).toBeCloseTo(0.866025, 6);
  expect(wordCosine(["open box 1"], ["open box 1"])).toBeCloseTo(1, 12);
  expect(wordCosine(["open box"], ["take cup"])).toBe(0);
  expect(wordCosine([], ["take cup"])).toBe(0);
});

test("a rewrite counts when it succeeds and says nearly the same", () => {
  const original = ["go east", "go west"];
  expect(isRefined(original, { actions: ["go east"], success: true }, 0.8)).toBe(true);
  expect(isRefined(original, { actions: ["go east"], success: true }, 0.9)).toBe(false);
  expect(isRefined(original, { actions: original, success: false }, 0.8)).toBe(false);
  expect(isRefined(original, { actions: original, success: null }, 0.8)).toBe(false);
  expect(isRefined(original, undefined, 0.8)).toBe(false);
});

test("what a rewrite leaves out is found, as often as it is missing", () => {
  const original = ["open box", "go east", "look", "go east"];
  expect(leftOut(original, ["go east", "take cup", "open box"])).toEqual(["look", "go east"]);
  expect(leftOut(original, original)).toEqual([]);
  expect(leftOut([], ["look"])).toEqual([]);
});
