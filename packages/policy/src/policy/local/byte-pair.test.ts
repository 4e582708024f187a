import { Tokenizer } from "@huggingface/tokenizers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyLetter } from "../../../../../test/support/any-letter.ts";
import { createRng, shuffle } from "limbeck-base/base/rng";
import { byteLetters, countWords, trainBytePair } from "./byte-pair.ts";
import { createTokenizer, type TokenizerFiles } from "./tokenizer.ts";

const merges = ({ tokenizer }: TokenizerFiles): unknown => (tokenizer["model"] as { merges: unknown }).merges;
const letters = byteLetters();
const wordLetters = (word: string): string => [...Buffer.from(word)].map((byte) => letters[byte]).join("");
const SHORT = "low low low lower lower new";

test("the most frequent pair is merged first, the one of older tokens among equals", () => {
  // Words: "low" once, " low" twice, " lower" twice, " new" once.
  // l-o 5, o-w 5, space-l 4, w-e 2, e-r 2, the rest 1. l < o, so "lo"; then lo-w 5, then space-low 4 (space is written Ġ);
  // now Ġlow-e 2 and e-r 2: e is a byte and older, so "er"; then Ġlow-er 2; what is left occurs once.
  const files = trainBytePair([SHORT], { vocabularySize: 300, specials: ["<end>"] });
  expect(merges(files)).toEqual(["l o", "lo w", "Ġ low", "e r", "Ġlow er"]);
  const { vocab } = files.tokenizer["model"] as { vocab: Record<string, number> };
  // The special token is 0, byte b is 1 + b, merge n is 257 + n.
  expect([vocab["<end>"], vocab["l"], vocab["Ġ"], vocab["lo"], vocab["Ġlower"]]).toEqual([0, 109, 33, 257, 261]);
  expect(Object.keys(vocab)).toHaveLength(262);
});

test("repeated letters overlap, and only what is really there is counted", () => {
  // " aaaa" twice: space-a 2, a-a 6: "aa" twice in each word, then aa-aa 2, space-a has become space-aa 2.
  // Keys: (space 32, aa 256) < (aa 256, aa 256), so "Ġaa" comes first; then Ġaa-aa.
  const files = trainBytePair([" aaaa aaaa"], { vocabularySize: 300, specials: [] });
  expect(merges(files)).toEqual(["a a", "Ġ aa", "Ġaa aa"]);
});

test("the vocabulary is as large as asked, and the same whatever the order of the texts", () => {
  const texts = Array.from(
    { length: 40 },
    (_, at) => `the ${at % 7} cat${at % 3} sat on the mat ${"again ".repeat(at % 4)}`,
  );
  const files = trainBytePair(texts, { vocabularySize: 280 });
  const { vocab } = files.tokenizer["model"] as { vocab: Record<string, number> };
  expect(Object.values(vocab).sort((left, right) => left - right)).toEqual(Array.from({ length: 280 }, (_, id) => id));
  expect(trainBytePair(shuffle(texts, createRng(3)), { vocabularySize: 280 })).toEqual(files);
  expect(() => trainBytePair(texts, { vocabularySize: 258 })).toThrow("from 259 (256 bytes and 3 special tokens)");
});

test.each([false, true])(
  "words are cut as the finished tokenizer cuts them (single digits: %s)",
  async (singleDigits) => {
    const files = trainBytePair([SHORT], { vocabularySize: 300, singleDigits });
    const library = new Tokenizer(files.tokenizer, files.config) as { pre_tokenizer: (text: string) => string[] };
    const text = fc
      .array(fc.oneof(fc.string({ unit: anyLetter }), fc.constantFrom(" ", "  12", "n't", "\n", "7", "é ")))
      .map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const mine = [...countWords([value], singleDigits)].flatMap(([word, count]) =>
          Array.from({ length: count }, () => wordLetters(word)),
        );
        const theirs = value === "" ? [] : library.pre_tokenizer(value);
        expect(mine.sort()).toEqual([...theirs].sort());
      }),
    );
  },
);

test("single digits are their own tokens wherever they stand", async () => {
  const files = trainBytePair(["12 12 12 12"], { vocabularySize: 300, singleDigits: true });
  const tokenizer = await createTokenizer(files);
  expect([...tokenizer.encode("a 12")].map((id) => tokenizer.decode([id]))).toEqual(["a", " ", "1", "2"]);
});
