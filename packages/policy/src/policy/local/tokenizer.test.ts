import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { anyLetter } from "../../../../../test/support/any-letter.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { trainBytePair } from "./byte-pair.ts";
import { loadTokenizer } from "./load-tokenizer.ts";
import { createTextStream, createTokenizer, type Tokenizer, refuseFarIds } from "./tokenizer.ts";

const folder = temporaryFolders();
const TEXT = "The quick brown fox jumps over the lazy dog. The dog didn't mind; the fox was quick. ".repeat(4);
const files = trainBytePair([TEXT], { vocabularySize: 330 });
let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await createTokenizer(files);
});

/** Any well-formed text: every code point, and pieces that tokenizers like to treat specially. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyLetter }),
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("<|im_end|>", "<|im_start|>", " n't", " .", "\uFEFF", "\r\n", "   ", "\u0000", "the fox"),
    ),
  )
  .map((parts) => parts.join(""));

test("any text comes back as it was", () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom("text" as const, "token" as const), (text, specials) => {
      const ids = tokenizer.encode(text, { specials });
      expect(ids.every((id) => id >= 0 && id < tokenizer.size)).toBe(true);
      expect(tokenizer.decode(ids)).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test("a special token that is written out is a token only when asked for", () => {
  const end = tokenizer.specials.get("<|im_end|>") as number;
  expect(end).toBe(2);
  expect([...tokenizer.encode("a<|im_end|>", { specials: "token" })]).toContain(end);
  expect([...tokenizer.encode("a<|im_end|>")]).not.toContain(end);
  expect(tokenizer.decode([end, ...tokenizer.encode("fox")], { specials: "drop" })).toBe("fox");
  expect(tokenizer.idOf("<|im_end|>")).toBe(2);
});

test("a growing text never shows half a letter, and is whole in the end", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const stream = createTextStream(tokenizer);
      const parts = [...tokenizer.encode(text)].map((id) => stream.push(id));
      for (const part of parts) expect(part.endsWith("\uFFFD")).toBe(false);
      expect([...parts, stream.end()].join("")).toBe(text);
    }),
  );
});

test("ids beyond the tokenizer stand for nothing, ids that are none are refused", () => {
  expect(tokenizer.decode([])).toBe("");
  expect(tokenizer.decode([100_000])).toBe("");
  expect(() => tokenizer.decode([1, -1])).toThrow("Token -1 at place 1");
});

test("files that are no tokenizer are refused", async () => {
  const path = await folder();
  await expect(loadTokenizer(path)).rejects.toThrow("has no tokenizer.json");
  await writeFile(join(path, "tokenizer.json"), "{}");
  await expect(loadTokenizer(path)).rejects.toThrow("the tokenizer cannot be built");
  await writeFile(join(path, "tokenizer.json"), JSON.stringify(files.tokenizer));
  await writeFile(join(path, "tokenizer_config.json"), "[]");
  await expect(loadTokenizer(path)).rejects.toThrow("does not hold a JSON object");
  await writeFile(join(path, "tokenizer_config.json"), JSON.stringify(files.config));
  expect([...(await loadTokenizer(path)).encode(TEXT)]).toEqual([...tokenizer.encode(TEXT)]);
});

const vocabulary = (vocab: unknown): { readonly model: unknown } => ({ model: { vocab } });

test.each([2 ** 31, 2 ** 24, -1, 0.5])("an id of %d is refused by name", (id) => {
  expect(() => refuseFarIds(vocabulary({ a: 0, far: id }), "tokenizer.json")).toThrowError(
    `tokenizer.json: the token "far" has the id ${id}; ids are whole numbers from 0 to 16777215.`,
  );
});

test("an added token too", () => {
  const added = { ...vocabulary({ a: 0 }), added_tokens: [{ id: 1e9, content: "<far>" }] };
  expect(() => refuseFarIds(added, "tokenizer.json")).toThrowError('the token "<far>" has the id 1000000000');
});

test.each([{ a: 0, b: 16_777_215 }, [["piece", -1.5]], undefined])("others are not looked at or fine", (vocab) => {
  refuseFarIds(vocabulary(vocab), "tokenizer.json");
});

test.each(["(?:a|a)*$", "(?:a+)+!$"])("a pattern of the files that runs away is ended: %s", async (Regex) => {
  const split = { type: "Split", pattern: { Regex }, behavior: "Isolated", invert: false };
  const pre_tokenizer = {
    type: "Sequence",
    pretokenizers: [split, { ...(files.tokenizer["pre_tokenizer"] as object) }],
  };
  const runaway = await createTokenizer({ ...files, tokenizer: { ...files.tokenizer, pre_tokenizer } }, "own.json", {
    limitMs: 300,
  });
  expect(() => runaway.encode(`${"a".repeat(60)}?`)).toThrow(
    /own\.json: a pattern of the tokenizer took more than 0\.3 s/,
  );
  // It serves texts that its patterns can be done with.
  expect(runaway.decode(runaway.encode("aaa"))).toBe("aaa");
});
