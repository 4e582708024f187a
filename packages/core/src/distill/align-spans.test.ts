import * as fc from "fast-check";
import { expect, test } from "vitest";
import { commonSpans, shareOut } from "./aligned-scorer.ts";

test("spans end where both have a cut", () => {
  // go|_to|_shelf against g|o_|to_sh|elf: cuts at 2, 5, 11 and at 1, 3, 8, 11; both at 11 only.
  expect(commonSpans([2, 3, 6], [1, 2, 5, 3])).toEqual([{ from: 0, to: 3, otherFrom: 0, otherTo: 4 }]);
  // ab|cd|ef against abcd|e|f: cuts at 2, 4, 6 and 4, 5, 6.
  expect(commonSpans([2, 2, 2], [4, 1, 1])).toEqual([
    { from: 0, to: 2, otherFrom: 0, otherTo: 1 },
    { from: 2, to: 3, otherFrom: 1, otherTo: 3 },
  ]);
  expect(commonSpans([1, 1], [1, 1])).toHaveLength(2);
  expect(commonSpans([], [])).toEqual([]);
});

test("a letter that one side cuts in two is one span", () => {
  // Our first token is half a letter and has no text yet; the second completes it.
  expect(commonSpans([0, 1, 2], [1, 2])).toEqual([
    { from: 0, to: 2, otherFrom: 0, otherTo: 1 },
    { from: 2, to: 3, otherFrom: 1, otherTo: 2 },
  ]);
  expect(commonSpans([1, 2], [1, 0, 2])).toEqual([
    { from: 0, to: 1, otherFrom: 0, otherTo: 1 },
    { from: 1, to: 2, otherFrom: 1, otherTo: 3 },
  ]);
});

test("sums are shared out by length, or evenly where there is none", () => {
  const spans = commonSpans([1, 3, 2], [4, 1, 1]);
  // -2 as 1 to 3; -0.5 - 0.25 for the last.
  expect([...shareOut(spans, [-2, -0.5, -0.25], [1, 3, 2])]).toEqual([-0.5, -1.5, -0.75]);
  expect([...shareOut(spans, [-2, -0.5, -0.25], [0, 0, 0])]).toEqual([-1, -1, -0.75]);
});

const cuts = (total: number) => fc.uniqueArray(fc.integer({ min: 1, max: total - 1 }), { maxLength: total - 1 });
const lengthsOf = (total: number, inner: readonly number[]): number[] => {
  const ends = [...inner.toSorted((left, right) => left - right), total];
  return ends.map((end, at) => end - (ends[at - 1] ?? 0));
};

test("spans cover both tokenisations, are as small as can be, and keep sums", () => {
  fc.assert(
    fc.property(cuts(12), cuts(12), (ours, theirs) => {
      const [lengths, others] = [lengthsOf(12, ours), lengthsOf(12, theirs)];
      const spans = commonSpans(lengths, others);
      const shared = ours.filter((cut) => theirs.includes(cut));
      expect(spans).toHaveLength(shared.length + 1);
      expect([spans[0]?.from, spans.at(-1)?.to, spans.at(-1)?.otherTo]).toEqual([0, lengths.length, others.length]);
      const logprobs = others.map((_, at) => -1 - at);
      const out = shareOut(spans, logprobs, lengths);
      const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
      expect(sum(out)).toBeCloseTo(sum(logprobs), 9);
    }),
  );
});
