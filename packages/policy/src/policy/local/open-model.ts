/** A model folder as a policy that samples, scores, learns and saves; and new models with random weights. */
import { checkOptions, may } from "limbeck-base/base/options";
import { basename, resolve } from "node:path";
import { createRng } from "limbeck-base/base/rng";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { loadOnnxRuntime } from "../../graph/runtime.ts";
import { baseOfAdapter, findAdapter, readAdapter } from "./adapter-files.ts";
import { readDraftHeads, type DraftHeadsParts } from "./draft/draft-heads.ts";
import { openDrafter } from "./draft/open-drafter.ts";
import { loadTokenizer } from "./load-tokenizer.ts";
import { assembleModel, type LocalModel } from "./local-model.ts";
import { LOCAL_CHECKS, type LocalOptions } from "./local-policy.ts";
import type { ModelConfig } from "./model-config.ts";
import { createTokenizer, type Tokenizer, type TokenizerFiles } from "./tokenizer.ts";
import { openCheckpoint, type CheckpointFolder } from "./training-state.ts";
import type { Frozen } from "./quantised/frozen.ts";
import { chosenKind, type WeightKind } from "./quantised/kinds.ts";
import { createSmallWeights, createWeights, initialise, type Weights } from "./weights.ts";

export interface ModelOptions extends LocalOptions {
  /** Parameters of heads beside the model's own, with their shapes; those that a folder holds are there anyway. */
  readonly heads?: (config: ModelConfig) => ReadonlyMap<string, readonly number[]>;
}

export interface OpenModelOptions extends ModelOptions {
  /**
   * How matrices that do not learn are kept. "int8" and "int4" take a quarter and a sixth of the memory and are faster; the model can then
   * sample, score, and learn through an adapter. "auto": int8 from 250 million parameters on. Default: "float32".
   */
  readonly weights?: WeightKind | "auto";
  /** Called with a sentence about how weights are kept, where they are quantised. */
  readonly say?: (sentence: string) => void;
  /** Continues the training that saved the folder: moments, step, version. Otherwise the optimiser starts afresh. */
  readonly resume?: boolean;
}

export interface CreateModelOptions extends ModelOptions {
  readonly seed: number | string;
  readonly tokenizer?: TokenizerFiles;
}

/** Opens a model that samples, scores and learns in this process: a Hugging Face folder or a GGUF file. */
export async function openModel(folder: string, options: OpenModelOptions = {}): Promise<LocalModel> {
  checkOptions("openModel", options, LOCAL_CHECKS);
  // Before the weights are read: without it they are of no use.
  await loadOnnxRuntime();
  const base = await baseOfAdapter(folder);
  if (base !== undefined) {
    const name = options.name ?? basename(resolve(folder));
    return await openModel(base, { ...options, name, adapter: options.adapter ?? (await readAdapter(folder)) });
  }
  const opened = await openCheckpoint(folder);
  try {
    const { config, configJson, generationJson } = opened;
    const tokenizer = await optionalTokenizer(folder, config);
    const heads = new Map([...(options.heads?.(config) ?? []), ...opened.heads]);
    const kind = chosenKind(config, options.weights);
    const weights =
      kind === "float32"
        ? createWeights(config, heads)
        : createSmallWeights(config, heads, await frozenOf(opened, kind, options.say));
    await opened.readWeights(weights);
    await opened.readHeads(weights);
    const adapter = options.adapter ?? (await findAdapter(folder));
    if (opened.adapted && adapter === undefined) {
      throw new EngineError(
        "missing-adapter",
        `"${folder}" holds the training of an adapter but not its adapter_config.json; open it with that adapter.`,
      );
    }
    const name = options.name ?? modelName(folder);
    const { draftModel } = options;
    const drafter = draftModel === undefined ? undefined : await openDrafter(draftModel, { config, tokenizer, name });
    const draftHeads = options.draftHeads ?? (await headsBeside(folder, config, kind, options));
    const named = { ...options, name, ...withoutUndefined({ adapter, drafter, draftHeads }) };
    const parts = { config, weights, tokenizer, configJson, generationJson };
    return await assembleModel(parts, named, options.resume === true ? opened : undefined);
  } finally {
    await opened.close();
  }
}

/**
 * Random weights by the seed, in the layout of the configuration; heads start at zero.
 *
 * @example
 * const model = await createModel(
 *   {
 *     form: "qwen3", vocabularySize: 32, hiddenSize: 16, layers: 1, heads: 2, keyValueHeads: 1, headSize: 8,
 *     intermediateSize: 32, contextLength: 64, ropeTheta: 10_000, normEpsilon: 1e-6, tiedEmbeddings: true,
 *   },
 *   { seed: 1 },
 * );
 * const conversation = model.open({ seed: 1 });
 * conversation.extend([1, 2, 3]);
 * console.log((await conversation.sample({ maxTokens: 4 })).ids.length); // 4
 * await model.close();
 */
export async function createModel(config: ModelConfig, options: CreateModelOptions): Promise<LocalModel> {
  checkOptions("createModel", options, { ...LOCAL_CHECKS, seed: may.seed });
  const weights = createWeights(config, options.heads?.(config));
  initialise(weights, config, createRng(options.seed).split("weights"));
  for (const name of options.heads?.(config).keys() ?? []) weights.views[name]?.fill(0);
  const { tokenizer } = options;
  return await wrapModel({ config, weights, ...(tokenizer === undefined ? {} : { tokenizer }) }, options);
}

/**
 * A model that was read by other means, the llama2.c reader for example.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const { config, weights, close } = await openModel(bundledModel("countdown"));
 * await close();
 * const again = await wrapModel({ config, weights }, { name: "again" });
 * console.log(again.ref.name, again.tokenizer); // again undefined
 * await again.close();
 */
export async function wrapModel(
  parts: { readonly config: ModelConfig; readonly weights: Weights; readonly tokenizer?: TokenizerFiles },
  options: LocalOptions = {},
): Promise<LocalModel> {
  const { config, weights } = parts;
  const tokenizer = parts.tokenizer === undefined ? undefined : await createTokenizer(parts.tokenizer);
  refuseLarger(tokenizer, config, "The tokenizer");
  return await assembleModel({ config, weights, tokenizer, configJson: {}, generationJson: {} }, options);
}

/**
 * The tokenizer of a model, or an error that says how to get one.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const model = await openModel(bundledModel("countdown"));
 * const tokenizer = requireTokenizer(model);
 * console.log(tokenizer.decode(tokenizer.encode("Target: 23"))); // Target: 23
 * await model.close();
 */
export function requireTokenizer(model: LocalModel): Tokenizer {
  if (model.tokenizer !== undefined) return model.tokenizer;
  throw new EngineError(
    "missing-tokenizer",
    `The model "${model.ref.name}" has no tokenizer.json, so text cannot become tokens; add one to its folder.`,
  );
}

/** Draft heads, where drafting uses them and the model gives its states. */
async function headsBeside(
  folder: string,
  config: ModelConfig,
  kind: WeightKind,
  { draft = "off", say }: OpenModelOptions,
): Promise<DraftHeadsParts | undefined> {
  if (draft !== "heads" && draft !== "auto") return undefined;
  const heads = await readDraftHeads(folder, config);
  if (heads === undefined || kind === "float32") return heads;
  const why = `Draft heads need the weights as float32; those of "${folder}" are opened as ${kind}`;
  if (draft === "heads")
    throw new EngineError("needs-unmet", `${why}. Say --weights float32, or choose another draft.`);
  say?.(`${why}: they do not guess.`);
  return undefined;
}

/** What stands in the place of a name: the folder's, or the file's without its ending and the number of its part. */
function modelName(folder: string): string {
  return basename(resolve(folder)).replace(/(?:-\d{5}-of-\d{5})?\.gguf$/i, "");
}

/** What reads and packs them is loaded when it is needed. */
async function frozenOf(
  opened: CheckpointFolder,
  kind: Exclude<WeightKind, "float32">,
  say?: (sentence: string) => void,
): Promise<Frozen> {
  return await (await import("./quantised/frozen.ts")).readFrozen(opened, kind, say);
}

async function optionalTokenizer(folder: string, config: ModelConfig): Promise<Tokenizer | undefined> {
  try {
    const tokenizer = await loadTokenizer(folder);
    refuseLarger(tokenizer, config, `The tokenizer of "${folder}"`);
    return tokenizer;
  } catch (error) {
    if (errorCode(error) === "missing-tokenizer") return undefined;
    throw error;
  }
}

/** A model may have more ids than its tokenizer; the other way round, some text could not be read. */
function refuseLarger(tokenizer: Tokenizer | undefined, config: ModelConfig, what: string): void {
  if (tokenizer === undefined || tokenizer.size <= config.vocabularySize) return;
  throw new EngineError(
    "bad-tokenizer",
    `${what} has ${tokenizer.size} tokens; the model's vocabulary is ${config.vocabularySize}. They do not belong together.`,
  );
}
