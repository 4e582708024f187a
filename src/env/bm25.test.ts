import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildBm25 } from "./bm25.ts";

describe("bm25", () => {
  test("scores as worked out by hand", () => {
    // Three documents of lengths 2, 4, 6: average 4. k1 = 1, b = 0.5.
    const index = buildBm25(
      [
        ["red", "fish"],
        ["red", "red", "blue", "bird"],
        ["a", "b", "c", "d", "e", "blue"],
      ],
      { k1: 1, b: 0.5 },
    );
    // idf(red), held by 2 of 3: ln(1 + 1.5 / 2.5) = ln 1.6.
    // Document 0: f 1, length part 0.5 + 0.5 * 2/4 = 0.75; 1 * 2 / (1 + 0.75) = 8/7.
    // Document 1: f 2, length part 0.5 + 0.5 * 4/4 = 1; 2 * 2 / (2 + 1) = 4/3.
    const hits = index.search(["red"], 10);
    expect(hits.map((hit) => hit.document)).toEqual([1, 0]);
    expect(hits[0]!.score).toBeCloseTo((Math.log(1.6) * 4) / 3, 12);
    expect(hits[1]!.score).toBeCloseTo((Math.log(1.6) * 8) / 7, 12);
    // idf(fish), held by 1 of 3: ln(1 + 2.5 / 1.5) = ln(8/3); document 0: 8/7 of it, and red on top.
    expect(index.search(["red", "fish"], 1)).toEqual([
      { document: 0, score: expect.closeTo((Math.log(1.6) * 8) / 7 + (Math.log(8 / 3) * 8) / 7, 12) },
    ]);
  });

  test("equal scores keep the order of the documents", () => {
    const index = buildBm25([
      ["x", "y"],
      ["y", "x"],
      ["x", "z"],
      ["x", "q"],
    ]);
    expect(index.search(["x"], 3).map((hit) => hit.document)).toEqual([0, 1, 2]);
  });

  test("nothing matches, nothing is returned, and an empty index answers", () => {
    expect(buildBm25([["x"]]).search(["y"], 3)).toEqual([]);
    expect(buildBm25([["x"]]).search(["x"], 0)).toEqual([]);
    expect(buildBm25([]).search(["y"], 3)).toEqual([]);
    expect(buildBm25([[]]).search(["y"], 3)).toEqual([]);
  });

  test("refuses constants outside their range", () => {
    expect(() => buildBm25([], { b: 1.5 })).toThrow("b from 0 to 1; got k1 1.2 and b 1.5");
  });

  test("a limited search is the beginning of the full one, and repeats itself", () => {
    const word = fc.constantFrom("a", "b", "c", "d", "e");
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { maxLength: 6 }), { maxLength: 30 }),
        fc.array(word, { maxLength: 4 }),
        fc.integer({ min: 0, max: 8 }),
        (documents, query, limit) => {
          const index = buildBm25(documents);
          const all = index.search(query, documents.length);
          const sorted = [...all].sort((one, other) => other.score - one.score || one.document - other.document);
          expect(all).toEqual(sorted);
          expect(index.search(query, limit)).toEqual(all.slice(0, limit));
          const matching = documents.filter((tokens) => tokens.some((token) => query.includes(token)));
          expect(all).toHaveLength(matching.length);
        },
      ),
    );
  });
});
