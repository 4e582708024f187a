import fc from "fast-check";
import { expect, test } from "vitest";
import { tokenSetRatio } from "./reward.ts";

test.each([
  ["the same words", "dark red", "red, dark!", 100],
  ["a subset", "red", "color red", 100],
  // shared "color"; "color multi" 11, "color red" 9; common "color " 6: 2 * 6 / 20 = 0.6;
  // "color" in "color red": 2 * 5 / 14 = 0.714
  ["one word shared", "multi color", "color red", 71],
  // 2 * 3 / 7 = 0.857
  ["one letter more", "abc", "abcd", 86],
  // nothing shared; "abc" and "xyz"
  ["nothing shared", "abc", "xyz", 0],
  ["no words", "!!!", "abc", 0],
  ["no words twice", "", "", 0],
  // The accent and its letter go: "caf".
  ["letters outside ASCII", "café", "caf", 100],
  // An underscore belongs to a word: "a_b" 3, "a b" 3, common "ab" 2: 4 / 6 = 0.667
  ["an underscore", "a_b", "a b", 67],
])("%s", (_, left, right, expected) => {
  expect(tokenSetRatio(left, right)).toBe(expected);
});

test("is symmetric, within 0 to 100, and blind to order and repetition", () => {
  const word = fc.constantFrom("red", "dark", "blue", "size", "10", "pack", "of", "x-large", "oz");
  const words = fc.array(word, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(words, words, (left, right) => {
      const ratio = tokenSetRatio(left.join(" "), right.join(" "));
      expect(ratio).toBe(tokenSetRatio(right.join(" "), left.join(" ")));
      expect(ratio).toBe(tokenSetRatio([...left, ...left].toReversed().join(" "), right.join(" ")));
      expect(ratio).toBeGreaterThanOrEqual(0);
      expect(ratio).toBeLessThanOrEqual(100);
    }),
  );
});
