import fc from "fast-check";
import { expect, test } from "vitest";
import { anyLetter } from "../../../../test/support/any-letter.ts";
import { cleanJson, cleanLine, cleanLines } from "./clean-text.ts";

// Written apart from the code under test: every code unit a terminal might obey or hide.
function isObeyed(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f) ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069) ||
    [0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0xfeff].includes(code)
  );
}

const nasty = fc.oneof(
  fc.string({ unit: anyLetter, maxLength: 40 }),
  fc.constantFrom(
    "\u001b[2J\u001b[31mred",
    "\u009b31m",
    "\u202eabc",
    "a\u0007",
    "x\r\ny",
    "\u001b]0;title\u0007",
    "\ud800",
  ),
);

test("shows what a terminal would obey", () => {
  expect(cleanLine("\u001b[31mred\u001b[0m")).toBe("\\x1b[31mred\\x1b[0m");
  expect(cleanLine("\u009b2J and \u202eevil\u2066 and \ufeff")).toBe("\\x9b2J and \\u202eevil\\u2066 and \\ufeff");
  expect(cleanLine("hidden \u{e0041}\u{e0042}")).toBe("hidden \\u{e0041}\\u{e0042}");
  expect(cleanLine("half \ud800 pair")).toBe("half \\ud800 pair");
});

test("keeps line breaks as breaks or as a sign, and what people write as it is", () => {
  expect(cleanLines("a\r\nb\n\tc\rd")).toEqual(["a", "b", "  c", "d"]);
  expect(cleanLine("a\r\nb\tc")).toBe("a⏎b c");
  expect(cleanLine("naïve café 東京 👩‍👩‍👧 e\u0301")).toBe("naïve café 東京 👩‍👩‍👧 e\u0301");
});

test("property: nothing obeyed is left", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      for (const line of [cleanLine(text), ...cleanLines(text)]) {
        expect(line.split("").filter((unit) => isObeyed(unit.charCodeAt(0)))).toEqual([]);
      }
    }),
  );
});

test("property: cleaned JSON parses to the same value", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const json = cleanJson(JSON.stringify({ text }));
      expect(json.split("").filter((unit) => isObeyed(unit.charCodeAt(0)))).toEqual([]);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
});
