import { expect, test } from "vitest";
import { cosine, createAlike } from "./alike.ts";

test("case and space do not count", async () => {
  const alike = createAlike();
  expect(await alike.firsts(["Go  East", "go west", "go east ", "GO WEST"])).toEqual([0, 1, 0, 1]);
});

test("embeddings tell meanings that texts do not, each text embedded once", async () => {
  const asked: string[] = [];
  const vectors: Readonly<Record<string, readonly number[]>> = { sofa: [1, 0], couch: [0.99, 0.1], lamp: [0, 1] };
  const alike = createAlike({
    embed: async (texts) => {
      asked.push(...texts);
      return texts.map((text) => vectors[text] ?? [0, 0]);
    },
  });
  expect(await alike.firsts(["sofa", "lamp", "couch", "Sofa"])).toEqual([0, 1, 0, 0]);
  expect(asked.toSorted()).toEqual(["couch", "lamp", "sofa"]);
  // 0.99 / sqrt(0.99^2 + 0.1^2) = 0.994937
  expect(cosine([1, 0], [0.99, 0.1])).toBeCloseTo(0.994937, 6);
  expect(cosine([0, 0], [1, 1])).toBe(0);
});
