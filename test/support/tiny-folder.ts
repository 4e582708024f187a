/** A random model of a few thousand parameters with a byte-level tokenizer and a chat template, in a folder. */
import { createModel } from "../../packages/policy/src/policy/local/open-model.ts";
import { trainBytePair } from "../../packages/policy/src/policy/local/byte-pair.ts";
import { madeOnce } from "./made-once.ts";
import { tinyConfig } from "./tiny-model.ts";

const TEXTS = ["the cat sat on the mat", "the dog sat on the log", "say yes", "say no", "user assistant system tool"];

export const tinyTokenizer = trainBytePair(TEXTS, { vocabularySize: 280 });

export async function writeTinyModel(folder: string, seed = 1, contextLength = 160): Promise<void> {
  await madeOnce(`tiny model ${seed} ${contextLength}`, folder, async (made) => {
    const config = { ...tinyConfig, vocabularySize: 288, contextLength };
    const model = await createModel(config, { seed, tokenizer: tinyTokenizer, threads: 1 });
    try {
      await model.save(made, { optimiser: false });
    } finally {
      await model.close();
    }
  });
}
