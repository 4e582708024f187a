import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAction } from "./page.ts";

test.each([
  ["search[Red Shoes]", { verb: "search", argument: "red shoes" }],
  ["click[Buy Now] please", { verb: "click", argument: "buy now" }],
  ["click[< Prev]", { verb: "click", argument: "< prev" }],
  // The last "[" that leaves something before the last "]" begins the argument; here the verb is "search[a ".
  ["search[a [b] c]", undefined],
  ["search[a] b]", { verb: "search", argument: "a] b" }],
  // "[" directly before "]" leaves nothing, so the one before it is taken.
  ["click[[]", { verb: "click", argument: "[" }],
  ["search[ ]", { verb: "search", argument: " " }],
  ["search[]", undefined],
  ["[x]", undefined],
  ["Search[x]", undefined],
  ["go search[x]", undefined],
  ["search[a\nb]", undefined],
  ["search[a]\nclick[b]", { verb: "search", argument: "a" }],
  ["", undefined],
])("%j", (text, expected) => {
  expect(parseAction(text)).toEqual(expected);
});

test("agrees with the pattern of the original on short texts", () => {
  const character = fc.constantFrom("[", "]", "a", " ", "search", "click", "\n");
  fc.assert(
    fc.property(fc.array(character, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const match = /^([^\n]+)\[([^\n]+)\]/.exec(text);
      const verb = match?.[1];
      const expected =
        verb === "search" || verb === "click" ? { verb, argument: match?.[2]?.toLowerCase() } : undefined;
      expect(parseAction(text)).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});
