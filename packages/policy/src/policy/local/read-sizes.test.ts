import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { ASSUMED_CONTEXT, readSizes } from "./read-sizes.ts";
import type { Tokenizer } from "./tokenizer.ts";

const newFolder = temporaryFolders();
const tokenizer = { size: 300 } as Tokenizer;

async function sizesOf(files: Readonly<Record<string, unknown>>): Promise<object> {
  const folder = await newFolder();
  for (const [name, value] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(value));
  return await readSizes(folder, tokenizer);
}

test("sizes stand under many names, and in the part that speaks", async () => {
  const mixture = { architectures: ["Qwen3MoeForCausalLM"], vocab_size: 512, max_position_embeddings: 2_048 };
  expect(await sizesOf({ "config.json": mixture })).toEqual({
    vocabularySize: 512,
    contextLength: 2_048,
    assumed: false,
  });
  const seeing = { model_type: "gemma3", text_config: { vocab_size: 400, max_position_embeddings: 1_024 } };
  expect(await sizesOf({ "config.json": seeing })).toMatchObject({ vocabularySize: 400, contextLength: 1_024 });
  expect(await sizesOf({ "config.json": { vocab_size: 301, n_positions: 77 } })).toMatchObject({ contextLength: 77 });
});

test("a tokenizer and nothing else will do; what nobody says is assumed, and told", async () => {
  expect(await sizesOf({})).toEqual({ vocabularySize: 300, contextLength: ASSUMED_CONTEXT, assumed: true });
  const limited = { model_max_length: 640 };
  expect(await sizesOf({ "tokenizer_config.json": limited })).toMatchObject({ contextLength: 640, assumed: false });
  // What transformers writes for "no limit".
  expect(await sizesOf({ "tokenizer_config.json": { model_max_length: 1e30 } })).toMatchObject({ assumed: true });
});

test("the tokenizer's own size counts where the configuration is older or odd", async () => {
  const odd = { vocab_size: 10, max_position_embeddings: "long" };
  expect(await sizesOf({ "config.json": odd })).toEqual({
    vocabularySize: 300,
    contextLength: ASSUMED_CONTEXT,
    assumed: true,
  });
});
