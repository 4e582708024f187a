import { expect, test } from "vitest";
import { matchesAnswer, normaliseAnswer, words } from "./normalise.ts";

test.each([
  ["The  Beatles", "beatles"],
  ["an apple, a day", "apple day"],
  ["U.S.", "us"],
  ["  the the  ", ""],
  // Punctuation is dropped, not replaced by a blank: the parts grow together.
  ["twenty-one", "twentyone"],
  ["The-atre", "theatre"],
  ["theme and anthem", "theme and anthem"],
  // "a" beside a letter of another script is part of a word.
  ["éa a", "éa"],
  ["Straße, «quoted»", "straße «quoted»"],
  ["", ""],
])("normalises %j to %j", (text, wanted) => expect(normaliseAnswer(text)).toBe(wanted));

test("any gold answer will do, and nothing less than all of it", () => {
  expect(matchesAnswer("the Gleirdale Academy.", ["x", "Gleirdale academy"])).toBe(true);
  expect(matchesAnswer("Gleirdale", ["Gleirdale Academy"])).toBe(false);
  expect(matchesAnswer("", ["Gleirdale"])).toBe(false);
});

test("words are lower case without accents, in any script", () => {
  expect(words("Été 1874: «Łódź», 北京!\u0000")).toEqual(["ete", "1874", "łodz", "北京"]);
});
