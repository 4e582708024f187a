/** The smaller model that guesses for another one: its files, and whether both have the same words. */
import { isDeepStrictEqual } from "node:util";
import { EngineError } from "limbeck-base/base/errors";
import { loadTokenizer } from "../load-tokenizer.ts";
import type { ModelConfig } from "../model-config.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { openCheckpoint } from "../training-state.ts";
import { createWeights, type Weights } from "../weights.ts";

export interface DrafterParts {
  readonly config: ModelConfig;
  readonly weights: Weights;
}

/** Opens the folder or GGUF file of a draft model; `target` is the model that it guesses for. */
export async function openDrafter(
  folder: string,
  target: { readonly config: ModelConfig; readonly tokenizer: Tokenizer | undefined; readonly name: string },
): Promise<DrafterParts> {
  const opened = await openCheckpoint(folder);
  try {
    const { config } = opened;
    const refuse = (why: string): EngineError =>
      new EngineError(
        "bad-tokenizer",
        `The draft model "${folder}" cannot guess for "${target.name}": ${why}. Choose a smaller model of the same family, one with the same tokenizer.json.`,
      );
    if (config.vocabularySize !== target.config.vocabularySize) {
      throw refuse(`it has ${config.vocabularySize} tokens, and the model ${target.config.vocabularySize}`);
    }
    if (target.tokenizer !== undefined && !sameWords(target.tokenizer, await loadTokenizer(folder))) {
      throw refuse("their tokenizers differ");
    }
    const weights = createWeights(config);
    await opened.readWeights(weights);
    return { config, weights };
  } finally {
    await opened.close();
  }
}

/** The same text has the same tokens; templates do not matter. */
function sameWords({ files: { tokenizer: own } }: Tokenizer, { files: { tokenizer: other } }: Tokenizer): boolean {
  return ["model", "added_tokens", "normalizer", "pre_tokenizer"].every((part) =>
    isDeepStrictEqual(own[part] ?? null, other[part] ?? null),
  );
}
