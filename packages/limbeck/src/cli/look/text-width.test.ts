import fc from "fast-check";
import { expect, test } from "vitest";
import { padEnd, padStart, takeColumns, textWidth, truncate, wrap } from "./text-width.ts";

test("counts columns, not characters", () => {
  expect(textWidth("plain")).toBe(5);
  expect(textWidth("東京")).toBe(4); // two wide characters
  expect(textWidth("e\u0301")).toBe(1); // a letter and a combining accent
  expect(textWidth("👩‍👩‍👧")).toBe(2); // one emoji made of five code points
  expect(textWidth("naïve…")).toBe(6);
});

test("cuts between characters, never inside one", () => {
  expect(truncate("abcdef", 6)).toBe("abcdef");
  expect(truncate("abcdef", 5)).toBe("abcd…");
  expect(truncate("東京都", 5)).toBe("東京…"); // 2 + 2 + 1
  expect(truncate("東京都", 4)).toBe("東…"); // the second would need column 5
  expect(takeColumns("e\u0301x", 1)).toBe("e\u0301");
  expect(truncate("x".repeat(1_000_000), 3)).toBe("xx…");
});

test("pads by columns", () => {
  expect(padEnd("東", 4)).toBe("東  ");
  expect(padStart("東", 4)).toBe("  東");
});

test("folds at blanks and cuts what has none", () => {
  expect(wrap("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
  expect(wrap("abcdefghijklmno", 10)).toEqual(["abcdefghij", "klmno"]);
  expect(wrap("", 10)).toEqual([""]);
});

test("property: no folded line is too wide and no letter is lost", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 8, max: 20 }), (text, columns) => {
      const line = text.replaceAll(/\s+/g, " ");
      const lines = wrap(line, columns);
      for (const piece of lines) expect(textWidth(piece)).toBeLessThanOrEqual(columns);
      expect(lines.join("").replaceAll(" ", "")).toBe(line.replaceAll(" ", ""));
    }),
  );
});
