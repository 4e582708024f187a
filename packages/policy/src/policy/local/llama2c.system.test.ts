import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { readLlama2c, readLlama2cTokenizer } from "./llama2c.ts";
import { openModel, requireTokenizer, wrapModel } from "./open-model.ts";

const folder = temporaryFolders();
const DATA = join(import.meta.dirname, "../../../../../../shared/data/models");
const MODEL = join(DATA, "stories260K.bin");
const WORDS = join(DATA, "tok512.bin");
const missing = !existsSync(MODEL) || !existsSync(WORDS);

test.skipIf(missing)(
  "its log-probabilities are those of an independent computation (needs ../shared/data/models)",
  async () => {
    const files = { ...(await readLlama2c(MODEL)), tokenizer: await readLlama2cTokenizer(WORDS) };
    const model = await wrapModel(files, { threads: 1 });
    const tokenizer = requireTokenizer(model);
    const mean = async (text: string): Promise<number> => {
      const ids = tokenizer.encode(text, { wrap: true });
      expect(tokenizer.decode(ids, { specials: "drop" })).toBe(text);
      const [row] = await model.score([{ ids }]);
      return (row?.logprob ?? new Float32Array()).reduce((total, value) => total + value, 0) / (ids.length - 1);
    };
    // By a separate float64 program that turns neighbouring pairs, as the file's layout has it.
    expect(
      await mean("Once upon a time, there was a little girl named Lily. She loved to play outside in the park."),
    ).toBeCloseTo(-0.180356, 5);
    expect(
      await mean("Tom found a shiny key under the old tree. He gave it to his mom and she was very happy."),
    ).toBeCloseTo(-1.648312, 5);

    // The same model through a Hugging Face folder.
    const path = join(await folder(), "stories");
    await model.save(path, { optimiser: false });
    const again = await openModel(path, { threads: 1 });
    expect(again.weights.flat).toEqual(model.weights.flat);
    expect(again.stopIds).toEqual([2]);
    await Promise.all([model.close(), again.close()]);
  },
);
