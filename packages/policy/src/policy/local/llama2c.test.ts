import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { readLlama2c, readLlama2cTokenizer } from "./llama2c.ts";
import { requireTokenizer, wrapModel } from "./open-model.ts";

const folder = temporaryFolders();
const DATA = join(import.meta.dirname, "../../../../../../shared/data/models");
const MODEL = join(DATA, "stories260K.bin");
const WORDS = join(DATA, "tok512.bin");
const missing = !existsSync(MODEL) || !existsSync(WORDS);

test.skipIf(missing)("stories260K tells a story (needs ../shared/data/models)", async () => {
  const model = await wrapModel({ ...(await readLlama2c(MODEL)), tokenizer: await readLlama2cTokenizer(WORDS) });
  const tokenizer = requireTokenizer(model);
  const talk = model.open();
  talk.extend(tokenizer.encode("Once upon a time", { wrap: true }));
  const { ids } = await talk.sample({ maxTokens: 48, temperature: 0 });
  expect(tokenizer.decode(ids)).toBe(
    ", there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball. She wanted to play with it,",
  );
  await model.close();
});

test.skipIf(missing)("a model that is cut off is refused (needs ../shared/data/models)", async () => {
  const path = join(await folder(), "cut.bin");
  await writeFile(path, (await readFile(MODEL)).subarray(0, -4));
  await expect(readLlama2c(path)).rejects.toThrow("has 1056536 bytes; a llama2.c model of its sizes has 1056540");
});

test("what is no llama2.c file is refused", async () => {
  const path = join(await folder(), "x.bin");
  await writeFile(path, new Uint8Array(5));
  await expect(readLlama2c(path)).rejects.toThrow("it has 5 bytes; the sizes alone take 28");
  await writeFile(path, new Uint8Array(Int32Array.of(64, 64, 2 ** 30, 8, 4, 512, 512).buffer));
  await expect(readLlama2c(path)).rejects.toThrow("its sizes are 64, 64, 1073741824");
  await expect(readLlama2cTokenizer(path)).rejects.toThrow("piece 0 at byte 4 is cut off");
});
