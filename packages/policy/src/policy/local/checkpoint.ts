/**
 * Checkpoints are Hugging Face folders with a training state beside the weights. A kill at any moment leaves the old or
 * the new checkpoint, never a mixture: everything is written first, the weight file last and by one rename, and its
 * header names the state file that belongs to it. A folder that does not exist yet appears whole.
 */
import { createHash } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { EngineError } from "limbeck-base/base/errors";
import { replaceFile, namesIfThere, syncFolder } from "limbeck-base/base/files";
import { removeLeft, writeBeside, writingBeside } from "limbeck-base/base/writing-names";
import type { AdamState } from "./adam.ts";
import { configJson, type JsonObject, parseConfig } from "./config-file.ts";
import type { WritableType } from "./element-type.ts";
import { type ModelConfig, parameterShapes } from "./model-config.ts";
import { readJsonFile, WEIGHTS_FILE } from "./model-folder.ts";
import type { TokenizerFiles } from "./tokenizer.ts";
import type { Weights } from "./weights.ts";
import { type TensorToWrite, writeSafetensors } from "./safetensors.ts";

export interface Checkpoint {
  readonly config: ModelConfig;
  readonly weights: Weights;
  /** What learns in the place of the weights, where that is so. */
  readonly adapter: Weights | undefined;
  /** Moments and step of the optimiser, laid out like what learns. */
  readonly optimiser: AdamState;
  readonly version: number;
  readonly configJson: JsonObject;
  readonly generationJson: JsonObject;
  readonly tokenizer: TokenizerFiles | undefined;
  /** What the trainer wants back when it resumes: its place in the data, its generator. Plain JSON. */
  readonly progress: JsonObject;
}

export interface SaveOptions {
  /** How weights are written. Default: "float32". A bfloat16 folder still resumes exactly, by its training state. */
  readonly precision?: "float32" | "bfloat16";
  /** Leaves the optimiser out: a model to use, not to resume. Default: it is there. */
  readonly optimiser?: boolean;
}

/** In the header of the weight file: the name of the state file. */
export const STATE_KEY = "limbeck.state";
const STATE_NAME = /^training-[0-9a-f]{16}\.safetensors$/;

export async function saveCheckpoint(folder: string, checkpoint: Checkpoint, options: SaveOptions = {}): Promise<void> {
  const target = resolve(folder);
  await mkdir(dirname(target), { recursive: true });
  const there = await namesIfThere(target);
  if (there !== undefined) {
    await refuseOther(target, checkpoint);
    await writeInto(target, checkpoint, options, there);
    await syncFolder(target);
    return;
  }
  await appearWhole(target, async (temporary) => {
    await writeInto(temporary, checkpoint, options, []);
    await syncFolder(temporary);
  });
}

/** A folder that is not there yet, written under a name of its own. */
export async function appearWhole(target: string, write: (temporary: string) => Promise<void>): Promise<void> {
  await writeBeside(target, async (temporary) => {
    await write(temporary);
    await rename(temporary, target);
  });
  await syncFolder(dirname(target));
}

/** A usable name from the header, which is foreign text. */
export function stateFileName(metadata: Readonly<Record<string, string>>): string | undefined {
  const name = metadata[STATE_KEY];
  return name !== undefined && STATE_NAME.test(name) ? name : undefined;
}

async function writeInto(
  folder: string,
  checkpoint: Checkpoint,
  options: SaveOptions,
  there: readonly string[],
): Promise<void> {
  const type: WritableType = options.precision === "bfloat16" ? "BF16" : "F32";
  for (const [name, text] of textFiles(checkpoint, type)) {
    if (!there.includes(name)) await replace(folder, name, (path) => writeFile(path, text, { flush: true }));
  }
  const state = stateTensors(checkpoint, type, options.optimiser ?? true);
  const metadata: Record<string, string> = {};
  if (state.length > 0) {
    const name = `training-${fingerprint(checkpoint, state)}.safetensors`;
    const { version, progress, optimiser } = checkpoint;
    const notes = { step: String(optimiser.step), version: String(version), progress: JSON.stringify(progress) };
    await replace(folder, name, (path) => writeSafetensors(path, state, notes));
    metadata[STATE_KEY] = name;
  }
  const weights = [...parameterShapes(checkpoint.config)].map(([name, shape]) =>
    tensor(name, shape, checkpoint.weights.views[name] as Float32Array, type),
  );
  // The moment of change: before this rename the folder is the old checkpoint, after it the new one.
  await replace(folder, WEIGHTS_FILE, (path) => writeSafetensors(path, weights, metadata));
  const outdated = there.filter((name) => STATE_NAME.test(name) && name !== metadata[STATE_KEY]);
  for (const name of outdated) await rm(join(folder, name), { force: true });
  await removeLeft(folder);
}

/** Heads, adapter, moments, and the exact weights where the weight file rounds them. */
function stateTensors(checkpoint: Checkpoint, type: WritableType, moments: boolean): TensorToWrite[] {
  const { config, weights, adapter, optimiser } = checkpoint;
  const own = parameterShapes(config);
  const parts = (of: Weights, kind: string, flat: Float32Array, take: (name: string) => boolean): TensorToWrite[] =>
    [...of.places].flatMap(([name, { start, shape }]) => {
      const end = start + (of.views[name] as Float32Array).length;
      return take(name) ? [tensor(`${kind}.${name}`, shape, flat.subarray(start, end), "F32")] : [];
    });
  const learns = adapter ?? weights;
  return [
    ...parts(weights, "head", weights.flat, (name) => !own.has(name)),
    ...(adapter === undefined ? [] : parts(adapter, "adapter", adapter.flat, () => true)),
    ...parts(weights, "exact", weights.flat, (name) => moments && type !== "F32" && own.has(name)),
    ...parts(learns, "first", optimiser.first, () => moments),
    ...parts(learns, "second", optimiser.second, () => moments),
  ];
}

/** The same state has the same name, so equal runs leave equal folders. */
function fingerprint(checkpoint: Checkpoint, state: readonly TensorToWrite[]): string {
  const { weights, optimiser, version, progress } = checkpoint;
  const hash = createHash("sha256").update(JSON.stringify([optimiser.step, version, progress]));
  for (const data of [weights.flat, ...state.map((entry) => entry.data)]) {
    hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return hash.digest("hex").slice(0, 16);
}

function textFiles(checkpoint: Checkpoint, type: WritableType): [string, string][] {
  const { config, tokenizer, generationJson } = checkpoint;
  const written = {
    ...configJson(config, checkpoint.configJson),
    torch_dtype: type === "F32" ? "float32" : "bfloat16",
  };
  const json = (value: unknown, space?: number): string => `${JSON.stringify(value, undefined, space)}\n`;
  return [
    ["config.json", json(written, 2)],
    ["generation_config.json", json(generationJson, 2)],
    ...(tokenizer === undefined
      ? []
      : ([
          ["tokenizer.json", json(tokenizer.tokenizer)],
          ["tokenizer_config.json", json(tokenizer.config, 2)],
        ] as [string, string][])),
    ...(tokenizer?.chatTemplate === undefined
      ? []
      : ([["chat_template.jinja", tokenizer.chatTemplate]] as [string, string][])),
  ];
}

/** A folder keeps its model: its configuration and tokenizer could not change in the same moment as its weights. */
async function refuseOther(folder: string, { config, tokenizer }: Checkpoint): Promise<void> {
  const other = await readJsonFile(folder, "config.json");
  const same = other === undefined || isDeepStrictEqual(parseConfig(other, join(folder, "config.json")), config);
  const words = tokenizer === undefined ? undefined : await readJsonFile(folder, "tokenizer.json");
  if (same && (words === undefined || isDeepStrictEqual(words, tokenizer?.tokenizer))) return;
  throw new EngineError(
    "folder-holds-another-model",
    `"${folder}" holds a model with another ${same ? "tokenizer" : "config.json"}; save to a new folder, or remove that one first.`,
  );
}

function tensor(name: string, shape: readonly number[], data: Float32Array, type: WritableType): TensorToWrite {
  return { name, shape, data, type };
}

/** A kill leaves the old file or the new one, and at most one begun under a name that a later save removes. */
export async function replace(folder: string, name: string, write: (path: string) => Promise<void>): Promise<void> {
  await replaceFile(join(folder, name), write, writingBeside(join(folder, name)));
}
