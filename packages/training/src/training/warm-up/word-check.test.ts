import { expect, test } from "vitest";
import { tinyTokenizer } from "../../../../../test/support/tiny-folder.ts";
import { createTokenizer } from "limbeck-policy/policy/local/tokenizer";
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { Lesson } from "./lesson.ts";
import { checkWords, judge, requireRoom, wordLines, type WordCheck } from "./word-check.ts";

const lesson = (message: string, action: string): Lesson => ({
  kind: "plain",
  decisions: [{ message, action, learnt: true }],
});
const row = (length: number) => ({ ids: new Int32Array(length), mask: new Uint8Array(length) });

async function checked(lessons: readonly Lesson[], lengths: readonly number[]): Promise<WordCheck> {
  const tokenizer = await createTokenizer(tinyTokenizer);
  const reply = (text: string): Int32Array => Int32Array.of(...tokenizer.encode(text), 0);
  const dialect = { reply } as Pick<Dialect, "reply"> as Dialect;
  return checkWords(lessons, lengths.map(row), { tokenizer, dialect, contextLength: 100 });
}

test("words that were learnt are one token, others are spelt and named, the most frequent first", async () => {
  // " the" is one token of the tiny tokenizer; " zebras" is a space and six letters it has never merged.
  const check = await checked([lesson("the the zebras", "the"), lesson("zebras", "quagga")], [10, 30]);
  expect(check.cutWords).toEqual(["zebras", "quagga"]);
  expect(check).toMatchObject({ cutCount: 2, unknown: 0, meanTokens: 20, mostTokens: 30, tooLong: 0, lessons: 2 });
  // Three times 1, and three words of 7 tokens, over six words.
  expect(check.tokensPerWord).toBe(4);
  expect(check.mostAnswerTokens).toBe(7);
  expect(wordLines(check)).toEqual([
    "Words: 4.0 tokens each. Episodes: 20 tokens, 30 at most, of a context of 100.",
    "2 words of more than 5 tokens: zebras, quagga",
  ]);
});

test("a few episodes that do not fit are left out; more than a tenth of them end it", async () => {
  const lessons = Array.from({ length: 20 }, () => lesson("the", "the"));
  const lengths = (long: number): number[] => lessons.map((_, at) => (at < long ? 101 : 100));
  requireRoom(await checked(lessons, lengths(2)));
  const tight = await checked(lessons, lengths(3));
  expect(() => requireRoom(tight)).toThrow(
    "3 of 20 episodes do not fit the model's context of 100 tokens: they have 100 on average and 101 at most.",
  );
  expect(wordLines(tight)[0]).toContain("3 lessons are longer and left out");
});

test("the verdict says what is missing and what to try", async () => {
  const good = { words: await checked([lesson("the the the the", "the")], [10]), newWords: false, most: 0.4 };
  const poor = { words: await checked([lesson("zebras", "quagga")], [10]), newWords: false, most: 0.4 };
  expect(judge({ none: 0.25, right: 0.6, wrong: 0.1 }, good)).toEqual({
    succeeds: true,
    follows: true,
    words: [],
  });
  expect(judge({ none: 0.25, right: null, wrong: null }, good).follows).toBeNull();
  const never = judge({ none: 0.05, right: 0.1, wrong: 0.05 }, poor);
  expect(never).toMatchObject({ succeeds: false, follows: false });
  expect(never.words.map((line) => line.split(/[:(.]/)[0])).toEqual([
    "It did not get there",
    "The base spells this world's words ",
    "It does not follow advice",
  ]);
  const spelt = judge({ none: 0.25, right: 0.6, wrong: 0.1 }, poor);
  expect(spelt.words).toEqual([expect.stringContaining("Try --words new")]);
  // The words were learnt from this world, so nothing is left to advise.
  expect(judge({ none: 0.25, right: 0.6, wrong: 0.1 }, { ...poor, newWords: true }).words).toEqual([]);
  expect(judge({ none: 0.05, right: 0.6, wrong: 0.1 }, { ...good, newWords: true }).words[1]).toContain("--words base");
  const harmed = judge({ none: 0.38, right: 0.34, wrong: 0 }, good);
  expect(harmed).toMatchObject({ succeeds: true, follows: true });
  expect(harmed.words).toEqual([expect.stringContaining("0.34 with right and 0.00 with wrong advice, 0.38 without")]);
  expect(judge({ none: 0.8, right: 0.9, wrong: 0.1 }, good).words[0]).toContain("It stands at 0.80 already");
});

test("what can be had without learning is no success", async () => {
  const good = { words: await checked([lesson("the the the the", "the")], [10]), newWords: false, most: 0.6 };
  // 0.35 + 0.1 * 0.65 = 0.415
  const blind = judge({ floor: 0.35, none: 0.4, right: null, wrong: null }, good);
  expect(blind.succeeds).toBe(false);
  expect(blind.words[0]).toContain("a training needs about 0.41 (0.35 can be had without learning).");
  expect(judge({ floor: 0.35, none: 0.42, right: null, wrong: null }, good).succeeds).toBe(true);
});
