import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance, rougeL, suffixMatch } from "../latr.ts";

test("edit distance over the longer length", () => {
  // 1 2 3 4 -> 1 3 4 5: take 2 away, add 5: 2 of 4.
  expect(editDistance([1, 2, 3, 4], [1, 3, 4, 5])).toBe(0.5);
  expect(editDistance([1, 2], [3, 4])).toBe(1);
  expect(editDistance([], [])).toBe(0);
  expect(editDistance([1], [])).toBe(1);
});

test("the longest end of one that stands in the other, over the longer length", () => {
  expect(suffixMatch([1, 2, 3, 4], [9, 9, 3, 4])).toBe(0.5);
  expect(suffixMatch([1, 2], [1, 2])).toBe(1);
  // The end 2 of the first is the beginning of the second; of 1 2 3 4 the end 2 3 4 is.
  expect(suffixMatch([1, 2], [2, 1])).toBe(0.5);
  expect(suffixMatch([1, 2, 3, 4], [2, 3, 4, 5])).toBe(0.75);
  expect(suffixMatch([1, 2], [3, 4])).toBe(0);
  expect(suffixMatch([], [])).toBe(0);
});

test("ROUGE-L by the longest common subsequence", () => {
  // 1 3 4 of 1 2 3 4 and 1 3 4 5: 2 * 3 / 8.
  expect(rougeL([1, 2, 3, 4], [1, 3, 4, 5])).toBe(0.75);
  expect(rougeL([1], [2])).toBe(0);
});

test("all three are symmetric, and equal sequences are as alike as can be", () => {
  const tokens = fc.array(fc.nat(3), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(tokens, tokens, (left, right) => {
      for (const measure of [editDistance, suffixMatch, rougeL]) {
        expect(measure(left, right)).toBe(measure(right, left));
        expect(measure(left, right)).toBeGreaterThanOrEqual(0);
        expect(measure(left, right)).toBeLessThanOrEqual(1);
      }
      expect([editDistance(left, left), suffixMatch(left, left), rougeL(left, left)]).toEqual([0, 1, 1]);
    }),
  );
});
