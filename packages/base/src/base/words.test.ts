import fc from "fast-check";
import { expect, test } from "vitest";
import { cutWords, jaccard, wordF1, wordSet } from "./words.ts";

test("words that are shared, over words of both", () => {
  // {the, red, mug} and {red, mug}: 2 * 2 / 5.
  expect(wordF1("The red mug.", "red mug")).toBe(0.8);
  expect(wordF1("", "red")).toBe(0);
  expect(wordF1("", "")).toBe(1);
  expect(jaccard(wordSet("The red mug."), wordSet("a red mug"))).toBe(0.5);
  expect(jaccard(new Set(), new Set())).toBe(0);
});

/** How rooms cut texts before there was one cutter: each call must give what its own function gave. */
const FORMER = {
  "goals, claims and shelves": [(text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [], {}],
  rubrics: [(text: string) => text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [], { pattern: /[\p{L}\p{N}_-]+/gu }],
  briefs: [(text: string) => text.match(/[\p{L}\p{N}_]+/gu) ?? [], { pattern: /[\p{L}\p{N}_]+/gu, lower: false }],
  "plain texts": [(text: string) => text.match(/[\p{L}\p{N}]+/gu) ?? [], { lower: false }],
  captions: [
    (text: string) => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length > 3),
    { least: 4 },
  ],
  shelves: [
    (text: string) => (text.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => word.length > 3),
    { pattern: /[a-z]+/g, least: 4 },
  ],
  shops: [
    (text: string) => text.toLowerCase().match(/[a-z0-9][a-z0-9.'-]*[a-z0-9]|[a-z0-9]/g) ?? [],
    { pattern: /[a-z0-9][a-z0-9.'-]*[a-z0-9]|[a-z0-9]/g },
  ],
} as const;

const piece = fc.constantFrom(
  ..."Put a HOT mug_2 in the micro-wave! İstanbul straße 😀 日本語 e\u0301 don't 3.5 x y zz \u0130 \ud800 \n - _ ".split(
    " ",
  ),
);
const corpus = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(" ")),
);

test.each(Object.entries(FORMER))("the cut of %s is as it was", (_name, [former, options]) => {
  fc.assert(
    fc.property(corpus, (text) => {
      expect(cutWords(text, options)).toEqual([...former(text)]);
      expect([...wordSet(text, options)]).toEqual([...new Set(former(text))]);
    }),
  );
});
