import { expect, test } from "vitest";
import { clusterSimilarWords } from "./similar-words.ts";

test("texts that share enough words are one cluster", () => {
  // Without articles 4 and 5 words, 4 of them shared: 8 / 9. "written" makes it 3 of 4 and 5: 6 / 9.
  const texts = ["Who wrote the long novel?", "the long novel: who wrote it", "when was the novel written"];
  expect([...clusterSimilarWords(texts)]).toEqual([0, 0, 1]);
  expect([...clusterSimilarWords(texts, { threshold: 0.9 })]).toEqual([0, 1, 2]);
});

test("case, marks and articles do not count, how often a word stands does", () => {
  expect([...clusterSimilarWords(["A Red-mug", "the red, mug!"], { threshold: 1 })]).toEqual([0, 0]);
  // 1 of 1 and 3 words: 2 / 4.
  expect([...clusterSimilarWords(["red", "red red red"], { threshold: 0.6 })]).toEqual([0, 1]);
});

test("at the very threshold they are one", () => {
  // 2 of 2 and 3 words: 4 / 5.
  expect([...clusterSimilarWords(["red mug", "red mug here"], { threshold: 0.8 })]).toEqual([0, 0]);
});

test("the first cluster that fits, by its first text", () => {
  // The second is like the first, the third like the second only.
  const texts = ["one two three four", "two three four five", "three four five six"];
  expect([...clusterSimilarWords(texts, { threshold: 0.75 })]).toEqual([0, 0, 1]);
});

test("a text without words is like no other", () => {
  expect([...clusterSimilarWords(["the", "", "the", "mug", "mug"])]).toEqual([0, 1, 2, 3, 3]);
});

test("the threshold is above 0 and at most 1", () => {
  for (const threshold of [0, -1, 1.01, Number.NaN]) {
    expect(() => clusterSimilarWords(["a"], { threshold })).toThrow(`shared words is ${threshold}`);
  }
});
