import fc from "fast-check";
import { expect, test } from "vitest";
import { splitDatums } from "./chunks.ts";
import { datumOf, tokensOf } from "./datum.ts";

const row = (length: number) =>
  datumOf(
    Int32Array.from({ length }, (_, at) => at),
    length,
    {},
  );

test("parts keep the order, lose nothing and stay within the limits, unless one datum is larger by itself", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 2, max: 30 })), fc.integer({ min: 1, max: 5 }), (lengths, datums) => {
      const data = lengths.map((length) => row(length));
      const limits = { datums, bytes: 600, tokens: 40 };
      const parts = splitDatums(data, limits);
      expect(parts.flat()).toEqual(data);
      for (const part of parts) {
        expect(part.length).toBeGreaterThan(0);
        expect(part.length).toBeLessThanOrEqual(datums);
        if (part.length === 1) continue;
        expect(part.reduce((total, datum) => total + tokensOf(datum), 0)).toBeLessThanOrEqual(40);
        expect(part.reduce((total, datum) => total + JSON.stringify(datum).length, 0)).toBeLessThanOrEqual(600);
      }
    }),
  );
});
