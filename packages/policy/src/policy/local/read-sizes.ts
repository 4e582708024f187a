/** The two sizes that playing needs of a model whose weights are elsewhere, of whatever kind the model is. */
import { isObject } from "limbeck-base/base/json";
import { isGguf } from "./is-gguf.ts";
import { readJsonFile } from "./model-folder.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { join } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { parseConfig } from "./config-file.ts";
import type { ModelConfig } from "./model-config.ts";

export interface Sizes {
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** Nothing in the folder says how long a context may be. */
  readonly assumed: boolean;
}

/** Where nothing says it. */
export const ASSUMED_CONTEXT = 4_096;

const LENGTHS = ["max_position_embeddings", "n_positions", "max_seq_len", "max_sequence_length", "seq_length", "n_ctx"];
/** Models that also read pictures or sounds keep the language model under one of these. */
const PARTS = ["text_config", "llm_config", "language_config"];
/** Tokenizers that know no limit write one with thirty digits. */
const MOST_TOKENS = 100_000_000;

type Part = Readonly<Record<string, unknown>>;

/** From `config.json`, where there is one, and from what the tokenizer says of itself. */
export async function readSizes(folder: string, tokenizer: Tokenizer): Promise<Sizes> {
  const said = isGguf(folder)
    ? await (await import("./gguf/config.ts")).readGgufConfig(folder)
    : await readJsonFile(folder, "config.json");
  const speaking = isGguf(folder) ? undefined : await readJsonFile(folder, "tokenizer_config.json");
  const config = said ?? {};
  const parts: Part[] = [config, ...PARTS.map((name) => config[name]).filter(isObject)];
  const first = (names: readonly string[], where: readonly Part[]): number | undefined =>
    where.flatMap((part) => names.map((name) => part[name])).find(isCount);
  const contextLength = first(LENGTHS, parts) ?? first(["model_max_length"], [speaking ?? {}]);
  return {
    // A tokenizer may know added tokens that an older configuration does not count.
    vocabularySize: Math.max(first(["vocab_size"], parts) ?? 0, tokenizer.size),
    contextLength: contextLength ?? ASSUMED_CONTEXT,
    assumed: contextLength === undefined,
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value <= MOST_TOKENS;
}

// The configuration alone, of a folder that may hold no weights.

/** `need` says, at the end of the error, what the folder is for. */
export async function readConfig(path: string, need: string): Promise<ModelConfig> {
  if (isGguf(path)) return parseConfig(await (await import("./gguf/config.ts")).readGgufConfig(path), path);
  const json = await readJsonFile(path, "config.json");
  if (json !== undefined) return parseConfig(json, join(path, "config.json"));
  throw new EngineError("not-a-model", `"${path}" has no config.json; ${need}.`);
}
