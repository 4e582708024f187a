import { expect, test } from "vitest";
import { isRepetitive } from "../treepo.ts";

test("a piece that stands there often enough, not counting overlaps", () => {
  expect(isRepetitive("abcabcabc", 3, 3)).toBe(true);
  expect(isRepetitive("abcabcab", 3, 3)).toBe(false);
  // "aa" stands in "aaaaa" twice without overlap, four times with.
  expect(isRepetitive("aaaaa", 2, 3)).toBe(false);
  expect(isRepetitive("aaaaaa", 2, 3)).toBe(true);
  expect(isRepetitive("ab", 3, 1)).toBe(false);
});
