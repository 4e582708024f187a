import fc from "fast-check";
import { expect, test } from "vitest";
import { anyLetter } from "./support/any-letter.ts";

test("every code point but the halves of pairs, and the way back", () => {
  const back = (letter: unknown): boolean => anyLetter.canShrinkWithoutContext(letter);
  for (const letter of ["\0", "a", "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10000}", "\u{10ffff}"])
    expect([letter, back(letter)]).toEqual([letter, true]);
  for (const other of ["", "ab", "\u{d800}", "\u{dfff}", 7]) expect([other, back(other)]).toEqual([other, false]);
  const drawn = fc.sample(anyLetter, { numRuns: 500, seed: 1 });
  expect(drawn.every((letter) => Array.from(letter).length === 1 && !/\p{Surrogate}/u.test(letter))).toBe(true);
  expect(drawn.some((letter) => letter.length === 2)).toBe(true);
});

test("strings of them hold the words that every object knows", () => {
  const words = fc.sample(fc.string({ unit: anyLetter }), { numRuns: 2_000, seed: 1 });
  expect(words.some((word) => word.includes("__proto__"))).toBe(true);
});
