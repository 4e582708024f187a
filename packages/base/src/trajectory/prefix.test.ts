import fc from "fast-check";
import { expect, test } from "vitest";
import { commonPrefix, commonPrefixes } from "./prefix.ts";

test("shared beginnings of four sequences by hand", () => {
  // Sorted: [1,2] (3), [1,2,3] (0), [1,2,4,5] (2), [7] (1); neighbours share 0, 2, 2 and 0 tokens.
  const sequences = [[1, 2, 3], [7], Int32Array.of(1, 2, 4, 5), [1, 2]];
  expect(commonPrefixes(sequences)).toEqual([
    { index: 3, shared: 0 },
    { index: 0, shared: 2 },
    { index: 2, shared: 2 },
    { index: 1, shared: 0 },
  ]);
  expect([commonPrefix([], [1]), commonPrefix([1, 2], [1, 2])]).toEqual([0, 2]);
});

test("the smallest `shared` between two entries is exactly what those two share", () => {
  const sequence = fc.array(fc.nat({ max: 2 }), { maxLength: 6 });
  fc.assert(
    fc.property(fc.array(sequence, { maxLength: 12 }), (sequences) => {
      const entries = commonPrefixes(sequences);
      expect(entries.map((entry) => entry.index).sort((a, b) => a - b)).toEqual(sequences.map((_, index) => index));
      for (let left = 0; left < entries.length; left += 1) {
        let least = Number.POSITIVE_INFINITY;
        for (let right = left + 1; right < entries.length; right += 1) {
          least = Math.min(least, entries[right]!.shared);
          expect(least).toBe(commonPrefix(sequences[entries[left]!.index]!, sequences[entries[right]!.index]!));
        }
      }
    }),
  );
});
