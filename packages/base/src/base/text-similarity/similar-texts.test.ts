import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tries } from "../../../../../test/support/thorough.ts";
import { createRng, type Rng } from "../rng.ts";
import { similarity, type SimilarityOptions } from "./matching-blocks.ts";
import { clusterSimilarTexts } from "./similar-texts.ts";

/** First-fit as it is defined: every text against the first text of every cluster. */
function naive(texts: readonly string[], threshold: number, options: SimilarityOptions = {}): number[] {
  const firsts: string[] = [];
  return texts.map((text) => {
    const known = firsts.findIndex((first) => similarity(text, first, options) >= threshold);
    return known >= 0 ? known : firsts.push(text) - 1;
  });
}

test("a text joins the first cluster that is similar enough", () => {
  // 19 of 20 characters match: 2 * 19 / 40 = 0.95, just enough. 18 of 20: 0.9, not enough.
  const base = "abcdefghijklmnopqrst";
  const one = "abcdefghijXlmnopqrst";
  const two = "abcdefghijXlmnopqrsY";
  expect([...clusterSimilarTexts([base, one, two, base])]).toEqual([0, 0, 1, 0]);
  expect([...clusterSimilarTexts([base, one, two], { threshold: 0.9 })]).toEqual([0, 0, 0]);
  // `one` is near both; it joins the cluster that was there first.
  expect([...clusterSimilarTexts([base, two, one])]).toEqual([0, 1, 0]);
  expect([...clusterSimilarTexts([two, base, one])]).toEqual([0, 1, 0]);
});

test("edges", () => {
  expect([...clusterSimilarTexts([])]).toEqual([]);
  expect([...clusterSimilarTexts(["", "a", "", "a"])]).toEqual([0, 1, 0, 1]);
  expect([...clusterSimilarTexts(["a", "b", "a"], { threshold: 1 })]).toEqual([0, 1, 0]);
  for (const threshold of [0, -1, 1.01, Number.NaN]) {
    expect(() => clusterSimilarTexts(["a"], { threshold })).toThrow(`threshold is ${threshold}`);
  }
});

const WORDS = "you are in the kitchen and see a cabinet 1 drawer 2 fridge open closed with apple mug on it".split(" ");

function sentence(rng: Rng, words: number): string[] {
  return Array.from({ length: words }, () => WORDS[rng.int(WORDS.length)] as string);
}

/** Observations of one template with a few words changed, near duplicates with typing errors, and strangers. */
function observations(rng: Rng, count: number, words: number): string[] {
  const templates = [0, 1, 2].map(() => sentence(rng, words));
  return Array.from({ length: count }, () => {
    const kind = rng.int(3);
    const text = kind === 0 ? sentence(rng, words) : [...(templates[rng.int(3)] as string[])];
    if (kind > 0)
      for (let change = rng.int(4); change > 0; change -= 1) text[rng.int(words)] = WORDS[rng.int(20)] ?? "";
    const letters = text.join(" ").split("");
    if (kind === 2)
      for (let slip = rng.int(6); slip > 0; slip -= 1) letters.splice(rng.int(letters.length), rng.int(2), "x");
    return letters.join("");
  });
}

describe("equals comparing with every cluster", () => {
  test.each([0.99, 0.95, 0.9, 0.8, 0.5])("at %d", (threshold) => {
    const texts = observations(createRng("clusters"), tries(60, 120), 30);
    expect([...clusterSimilarTexts(texts, { threshold })]).toEqual(naive(texts, threshold));
  });
  test("with the rule of difflib", () => {
    const texts = observations(createRng("junk"), tries(40, 80), 60);
    expect([...clusterSimilarTexts(texts, { autojunk: true })]).toEqual(naive(texts, 0.95, { autojunk: true }));
  });
  test("on any short texts", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "😀"), maxLength: 14 });
    const threshold = fc.constantFrom(0.3, 0.6, 0.75, 0.8, 0.9, 0.95);
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), threshold, (texts, least) => {
        expect([...clusterSimilarTexts(texts, { threshold: least })]).toEqual(naive(texts, least));
      }),
      { numRuns: tries(40, 100) },
    );
  });
  test("on long texts that differ by insertions and deletions", () => {
    const edit = fc.tuple(fc.nat(199), fc.nat(2), fc.constantFrom("", "q", "zz"));
    fc.assert(
      fc.property(fc.array(fc.array(edit, { maxLength: 14 }), { minLength: 2, maxLength: 8 }), (versions) => {
        const base = observations(createRng("base"), 1, 40).join("").slice(0, 200);
        const texts = versions.map((edits) => {
          const letters = base.split("");
          for (const [at, gone, come] of edits) letters.splice(at, gone, come);
          return letters.join("");
        });
        expect([...clusterSimilarTexts(texts)]).toEqual(naive(texts, 0.95));
      }),
      { numRuns: tries(25, 100) },
    );
  });
});
