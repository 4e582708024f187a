import fc from "fast-check";
import { expect, test } from "vitest";
import { similarity } from "./matching-blocks.ts";

test("takes the longest block first, then looks left and right of it", () => {
  // "abxcd" and "abcd": "ab" (the earliest of the two longest), then "cd": M = 4, T = 9.
  expect(similarity("abxcd", "abcd")).toBeCloseTo(8 / 9, 12);
  // "tide" and "diet": the blocks of length 1 are all equal, so the earliest of the first text: "t" with the last "t".
  // Nothing stands right of it in "diet", nothing left of it in "tide": M = 1, T = 8.
  expect(similarity("tide", "diet")).toBe(0.25);
  // The other way round "d" comes first: "d" with "d", then "e" right of both: M = 2.
  expect(similarity("diet", "tide")).toBe(0.5);
});

test("edges", () => {
  expect(similarity("", "")).toBe(1);
  expect(similarity("", "a")).toBe(0);
  expect(similarity("a", "b")).toBe(0);
  // One character outside the basic plane is one character: M = 1, T = 3.
  expect(similarity("😀", "😀a")).toBeCloseTo(2 / 3, 12);
});

test("the rule of difflib for frequent characters, on request", () => {
  // "b" stands 199 times in the second text, more than 200 / 100 + 1 = 3, so it cannot start a block; "a" is 1 of 200.
  const left = `a${"b".repeat(199)}`;
  const right = `${"b".repeat(199)}a`;
  // Plain: the 199 b match. With the rule: "a" with "a" only.
  expect(similarity(left, right)).toBeCloseTo(398 / 400, 12);
  expect(similarity(left, right, { autojunk: true })).toBeCloseTo(2 / 400, 12);
  // One character shorter, the rule is silent.
  expect(similarity(left.slice(0, -1), right.slice(1), { autojunk: true })).toBeCloseTo((2 * 198) / 398, 12);
});

test("a block found from a rare character grows over frequent ones", () => {
  const text = `${"ab".repeat(60)}X${"ab".repeat(60)}`;
  expect(similarity(text, text, { autojunk: true })).toBe(1);
});

/** The definition, word for word. */
function matched(left: string, right: string): number {
  let best = { at: 0, to: 0, length: 0 };
  for (let at = 0; at < left.length; at += 1) {
    for (let to = 0; to < right.length; to += 1) {
      let length = 0;
      while (at + length < left.length && left[at + length] === right[to + length]) length += 1;
      if (length > best.length) best = { at, to, length };
    }
  }
  const { at, to, length } = best;
  if (length === 0) return 0;
  const before = matched(left.slice(0, at), right.slice(0, to));
  return before + length + matched(left.slice(at + length), right.slice(to + length));
}

test("is the definition on any text", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 24 });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const total = left.length + right.length;
      expect(similarity(left, right)).toBe(total === 0 ? 1 : (2 * matched(left, right)) / total);
    }),
    { numRuns: 500 },
  );
});
