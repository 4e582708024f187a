/** Reads back the training state that belongs to a weight file: heads, moments, step, version, progress. */
import { join } from "node:path";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { isObject } from "limbeck-base/base/json";
import type { AdamState } from "./adam.ts";
import { stateFileName } from "./checkpoint.ts";
import type { JsonObject } from "./config-file.ts";
import { isGguf } from "./is-gguf.ts";
import { parameterShapes } from "./model-config.ts";
import { openModelFolder, type ModelFolder } from "./model-folder.ts";
import { quote } from "./quote.ts";
import { openSafetensors, type SafetensorsFile } from "./safetensors.ts";
import type { Weights } from "./weights.ts";

export interface CheckpointFolder extends ModelFolder {
  /** Parameters of saved heads with their shapes. */
  readonly heads: ReadonlyMap<string, readonly number[]>;
  readonly version: number;
  readonly progress: JsonObject;
  /** True when the training that saved the folder changed an adapter, not the weights. */
  readonly adapted: boolean;
  readHeads(weights: Weights): Promise<void>;
  /** Exact weights, adapter, moments and step. A folder without a training state starts afresh. */
  readState(weights: Weights, adapter: Weights | undefined, optimiser: AdamState): Promise<void>;
}

/** How often a folder is looked at again when a save replaced its files in the middle of opening. */
const ATTEMPTS = 3;

export async function openCheckpoint(path: string): Promise<CheckpointFolder> {
  for (let attempt = 1; ; attempt += 1) {
    const folder = await openFiles(path);
    let state: SafetensorsFile | undefined;
    try {
      const name = stateFileName(folder.metadata);
      state = name === undefined ? undefined : await openSafetensors(join(path, name));
      return withState(folder, state);
    } catch (error) {
      await Promise.all([folder.close(), state?.close()]);
      if (errorCode(error) !== "ENOENT") throw error;
      if (attempt < ATTEMPTS) continue;
      throw new EngineError(
        "missing-state",
        `"${path}" lacks ${stateFileName(folder.metadata)}, the training state that its weights name; copy it too.`,
        { cause: error },
      );
    }
  }
}

/** What reads GGUF is loaded when it is needed. */
async function openFiles(path: string): Promise<ModelFolder> {
  return isGguf(path) ? await (await import("./gguf/model.ts")).openGgufModel(path) : await openModelFolder(path);
}

function withState(folder: ModelFolder, state: SafetensorsFile | undefined): CheckpointFolder {
  const names = [...(state?.tensors ?? [])];
  const heads = new Map(
    names.flatMap(([name, { shape }]) => (name.startsWith("head.") ? [[name.slice("head.".length), shape]] : [])),
  );
  const own = parameterShapes(folder.config);
  const clash = [...heads.keys()].find((name) => own.has(name));
  if (clash !== undefined) {
    throw new EngineError("bad-state", `${state?.path}: the head ${quote(clash)} has the name of a model's parameter.`);
  }
  return {
    ...folder,
    heads,
    adapted: names.some(([name]) => name.startsWith("adapter.")),
    version: count(state, "version"),
    progress: parseProgress(state?.metadata["progress"]),
    readHeads: async (weights) => {
      for (const name of heads.keys()) {
        const view = weights.views[name];
        if (view !== undefined) await state?.readInto(`head.${name}`, view);
      }
    },
    readState: async (weights, adapter, optimiser) => {
      optimiser.first.fill(0);
      optimiser.second.fill(0);
      optimiser.step = 0;
      if (state === undefined) return;
      for (const name of own.keys()) {
        if (state.tensors.has(`exact.${name}`)) {
          await state.readInto(`exact.${name}`, weights.views[name] as Float32Array);
        }
      }
      for (const [name, view] of Object.entries(adapter?.views ?? {})) await state.readInto(`adapter.${name}`, view);
      if (!names.some(([name]) => name.startsWith("first."))) return;
      const learns = adapter ?? weights;
      for (const [name, { start }] of learns.places) {
        const end = start + (learns.views[name] as Float32Array).length;
        await state.readInto(`first.${name}`, optimiser.first.subarray(start, end));
        await state.readInto(`second.${name}`, optimiser.second.subarray(start, end));
      }
      optimiser.step = count(state, "step");
    },
    close: async () => {
      await Promise.all([folder.close(), state?.close()]);
    },
  };
}

function count(state: SafetensorsFile | undefined, key: string): number {
  const value = Number(state?.metadata[key] ?? 0);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new EngineError("bad-state", `${state?.path}: "${key}" is not a whole number; the training state is damaged.`);
}

function parseProgress(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new EngineError("bad-state", "The training state's progress is not JSON.", { cause: error });
  }
  throw new EngineError("bad-state", "The training state's progress is not a JSON object.");
}
