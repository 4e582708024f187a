import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildBm25 } from "./bm25.ts";

/** The formula as it stands, for every document, without an index. */
function plainScores(documents: readonly (readonly string[])[], query: readonly string[]): number[] {
  const average = documents.reduce((sum, tokens) => sum + tokens.length, 0) / Math.max(1, documents.length);
  return documents.map((tokens) =>
    query.reduce((sum, token) => {
      const held = documents.filter((other) => other.includes(token)).length;
      const times = tokens.filter((other) => other === token).length;
      const rarity = Math.log(1 + (documents.length - held + 0.5) / (held + 0.5));
      return sum + (rarity * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * tokens.length) / average) || 1);
    }, 0),
  );
}

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

  test("a common word beside rare ones changes no result, long lists or short", () => {
    // 400 documents hold "the", a few hold the rare words.
    const documents = Array.from({ length: 400 }, (_, index) => [
      "the",
      ...(index % 3 === 0 ? ["the", "of"] : []),
      ...(index % 50 === 7 ? ["heron"] : []),
      ...(index % 97 === 5 ? ["brass", "of"] : []),
      `word${index}`,
    ]);
    const index = buildBm25(documents);
    for (const query of [["the", "heron"], ["of", "the", "brass", "heron", "the"], ["the"], ["word9", "the", "of"]]) {
      const wanted = plainScores(documents, query)
        .map((score, document) => ({ document, score }))
        .filter(({ score }) => score > 0)
        .sort((one, other) => other.score - one.score || one.document - other.document);
      for (const limit of [1, 3, 10, 400]) {
        const hits = index.search(query, limit);
        expect(hits.map((hit) => hit.score)).toEqual(
          wanted.slice(0, limit).map((hit) => expect.closeTo(hit.score, 10) as number),
        );
        expect(hits).toEqual(index.search(query, 400).slice(0, limit));
      }
    }
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
