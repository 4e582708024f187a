import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyLetter } from "../../../../test/support/any-letter.ts";
import { readExpression } from "./verify.ts";
import { showRational } from "./rational.ts";

const read = (text: string): string => {
  const reading = readExpression(text);
  return reading.kind === "value" ? `${showRational(reading.value)} of ${reading.numbers.join(" ")}` : reading.why;
};

describe("readExpression", () => {
  test.each([
    ["7", "7 of 7"],
    [" ( 3 + 5 ) * 2 ", "16 of 3 5 2"],
    ["3 + 5 * 2", "13 of 3 5 2"],
    // Equal operators bind to the left: (10 - 4) - 3 and (100 / 5) / 2.
    ["10 - 4 - 3", "3 of 10 4 3"],
    ["100 / 5 / 2", "10 of 100 5 2"],
    // 1/3 in floating numbers, times 3, may miss 1; here it cannot.
    ["1 / 3 * 3", "1 of 1 3 3"],
    // 8 / (3 - 8/3) = 8 / (1/3) = 24, the puzzle that only fractions solve.
    ["8 / (3 - 8 / 3)", "24 of 8 3 8 3"],
    ["1/3 + 1/6", "1/2 of 1 3 1 6"],
    ["2 - 9", "-7 of 2 9"],
    ["6 \u00d7 4 \u00f7 3 \u2212 2", "6 of 6 4 3 2"],
    ["6 \u22c5 4 \u2013 3", "21 of 6 4 3"],
    ["007", "7 of 7"],
  ])("%j is %s", (text, wanted) => expect(read(text)).toBe(wanted));

  test.each([
    ["", "it is empty"],
    ["3 +", "a number or a bracket was expected, not the end"],
    ["-3 + 5", 'a number or a bracket was expected, not "-"'],
    ["3 5", '"5" is out of place'],
    ["(3 + 5", "a closing bracket is missing before the end"],
    ["3 + 5)", '")" is out of place'],
    ["3 * 8 = 24", '"=" is out of place'],
    ["2 ** 3", 'a number or a bracket was expected, not "*"'],
    ["1.5 + 2", '"." is out of place'],
    ["4 / (2 - 2)", "it divides by zero"],
    ["process.exit()", 'a number or a bracket was expected, not "p"'],
    ["3 \u001b 4", '"\\u001b" is out of place'],
    ["٣ + ٤", 'a number or a bracket was expected, not "٣"'],
    ["1234567890", "a number has more than 9 digits"],
    ["(".repeat(60) + "1" + ")".repeat(60), "its brackets are nested deeper than 40"],
    ["1" + "+1".repeat(50_000), "it has 100001 characters, and at most 500 are read"],
  ])("%.40j is refused", (text, why) => expect(read(text)).toBe(why));

  test("no text makes it throw", () => {
    const piece = fc.oneof(
      fc.constantFrom("(", ")", "+", "-", "*", "/", " ", "7", "12"),
      fc.string({ unit: anyLetter }),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(["value", "fault"]).toContain(readExpression(pieces.join("")).kind);
      }),
    );
  });
});
