import fc from "fast-check";
import { expect, test } from "vitest";
import { clipText, visibleLine, visibleParts } from "./visible-text.ts";

const shown = (text: string): string =>
  visibleParts(text)
    .map((part) => part.text)
    .join("");

test("what a reader could not see becomes an escape with its name", () => {
  expect(visibleParts("ab\u202Ecd")).toEqual([
    { text: "ab" },
    { text: "\\u202E", hidden: "right-to-left override" },
    { text: "cd" },
  ]);
  expect(shown("\u001b[31m\u0000\u200B\u2066\uFEFF\u007F\u0085")).toBe(
    "\\u001B[31m\\u0000\\u200B\\u2066\\uFEFF\\u007F\\u0085",
  );
  // Tags, fillers, separators, half a pair, and a selector that hides data behind a letter.
  expect(shown("\u{E0041}\u3164\u2028\uD800x\uFE0F")).toBe("\\u{E0041}\\u3164\\u2028\\uD800x\\uFE0F");
});

test("ordinary text of any language stays as it is", () => {
  for (const text of ["two\nlines\tand a tab", "größer, 水, עברית, عربي, नमस्ते", "✔️ done", "<b>&amp;</b>"]) {
    expect(visibleParts(text)).toEqual([{ text }]);
  }
  expect(visibleParts("")).toEqual([]);
  expect(shown("one\r\ntwo\rthree")).toBe("one\ntwo\\u000Dthree");
});

// The strange characters stand low; the rest of Unicode is tried too.
const anyCode = fc.oneof(fc.integer({ min: 0, max: 0x2100 }), fc.integer({ min: 0, max: 0x10ffff }));
const anyText = fc.array(anyCode).map((codes) => String.fromCodePoint(...codes));

test("nothing that is shown is invisible, and nothing is lost", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const parts = visibleParts(text);
      const plain = parts.filter((part) => part.hidden === undefined).map((part) => part.text);
      expect(plain.join("").replaceAll(/[\n\t]/g, "")).not.toMatch(/\p{Cc}|[\u200B-\u200F\u202A-\u202E\u2066-\u2069]/u);
      const hidden = parts.filter((part) => part.hidden !== undefined).length;
      const letters = Array.from(plain.join("")).length;
      expect(letters + hidden).toBe(Array.from(text.replaceAll("\r\n", "\n")).length);
    }),
  );
});

test("a clipped text never ends in half a character", () => {
  expect(clipText("abcdef", 4)).toEqual({ head: "abcd", left: 2 });
  expect(clipText("abc", 3)).toEqual({ head: "abc", left: 0 });
  // The pair of the emoji stands at 3 and 4; a cut after 4 units would leave its first half.
  expect(clipText("abc😀d", 4)).toEqual({ head: "abc", left: 3 });
});

test("a line has no line ends and says when it was cut", () => {
  expect(visibleLine("go to\n\n shelf\u202E 1")).toBe("go to shelf\\u202E 1");
  expect(visibleLine("abcdef", 3)).toBe("abc…");
});
