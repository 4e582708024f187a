/** How a model of this machine runs, for every operation that opens one. */
import { input } from "limbeck-base/base/input";
import type { AttentionKind, CacheKind, WeightKind } from "./local/quantised/kinds.ts";
import type { Draft, DraftTreeKind } from "./local/draft/kinds.ts";

export const engineInputs = {
  threads: input.count("N", "Threads of the engine. Default: its own choice"),
  cores: input.count(
    "N",
    "Copies of a small model that share the work, one core each. Default: one copy on all threads",
  ),
  draft: input.choice(
    "KIND",
    "Guess the next tokens and check them together: off, ngram, model, heads, or auto (where it pays). Default: off",
    async (): Promise<readonly Draft[]> => (await import("./local/draft/kinds.ts")).DRAFTS,
  ),
  weights: input.choice(
    "KIND",
    "Keep matrices that do not learn as float32, int8 or int4. Default: auto, int8 from 250 million parameters on",
    async (): Promise<readonly (WeightKind | "auto")[]> => [
      "auto",
      ...(await import("./local/quantised/kinds.ts")).WEIGHT_KINDS,
    ],
  ),
  cache: input.choice(
    "KIND",
    "Keep what a model has read as float32, or as float16 in half of the memory. Default: float32",
    async (): Promise<readonly CacheKind[]> => (await import("./local/quantised/kinds.ts")).CACHE_KINDS,
  ),
  attention: input.choice(
    "KIND",
    "With --weights int8 or int4: two-level scores few keys of long contexts. Default: full",
    async (): Promise<readonly AttentionKind[]> => (await import("./local/quantised/kinds.ts")).ATTENTION_KINDS,
  ),
  draftModel: input.text("NAME|DIR", "Smaller model with the same tokenizer, for --draft model"),
  draftTree: input.choice(
    "KIND",
    "Form of the guesses: chain, goose (n-grams), delayed or graft (a draft model or heads), parallel (a draft model, while the model checks). Default: chain",
    async (): Promise<readonly DraftTreeKind[]> => (await import("./local/draft/kinds.ts")).DRAFT_TREES,
  ),
};

const { threads, weights, cache } = engineInputs;

/** The one model of an operation; `local/given-model.ts` opens it. */
export const modelInputs = {
  model: input.path("DIR", "Model folder (config.json, model.safetensors, tokenizer.json) or GGUF file"),
  threads,
  weights,
};

export const adaptedInputs = {
  ...modelInputs,
  adapter: input.path("DIR", "Adapter to use on it, in the layout of PEFT"),
  cache,
};

/** What a draft model reads, and how much of it is checked at once. */
export const draftInputs = {
  draftContext: input.count(
    "N",
    "Most tokens of the context that the draft model reads, the first and the last. Default: all",
  ),
  draftNodes: input.count("N", "Most guesses of an answer that are checked at once. Default: 7; 15 with auto"),
};
