/**
 * Trainings of an adapter whose base model is quantised and stays where it is: only what learns is written. The adapter
 * stands in the layout of PEFT, and `adapter-training.safetensors` holds it again with the optimiser and the progress. That
 * file is written last and by one rename, and a resumed training reads nothing else.
 */
import { join, resolve } from "node:path";
import { EngineError, errorCode, isObject } from "../../base/index.ts";
import { isThere } from "../../base/files.ts";
import { removeLeft } from "../../base/writing-names.ts";
import type { JsonObject } from "./config-file.ts";
import { saveAdapter } from "./adapter-files.ts";
import type { Adapter } from "./lora.ts";
import { appearWhole, replace } from "./checkpoint.ts";
import { isModelPlace } from "./is-gguf.ts";
import type { LocalModel } from "./local-model.ts";
import { readJsonFile } from "./model-folder.ts";
import { openSafetensors, type TensorToWrite, writeSafetensors } from "./safetensors.ts";
import { viewsOf } from "./weights.ts";

const STATE_FILE = "adapter-training.safetensors";
const CONFIG_FILE = "adapter_config.json";

/** What is written of a training. */
export interface AdapterTraining {
  /** Where the base model lies, to open the adapter. */
  readonly base: string;
  readonly progress: JsonObject;
}

type Trained = Pick<LocalModel, "adapter" | "core" | "ref" | "weights" | "replaced" | "discard">;

/** The folder appears whole; a kill leaves the old state or the new one. */
export async function saveAdapterTraining(folder: string, model: Trained, training: AdapterTraining): Promise<void> {
  const target = resolve(folder);
  if (await isThere(target)) return await writeInto(target, model, training);
  await appearWhole(target, (temporary) => writeInto(temporary, model, training));
}

async function writeInto(folder: string, model: Trained, { base, progress }: AdapterTraining): Promise<void> {
  const adapter = adapterOf(model);
  await saveAdapter(folder, adapter, { base });
  const notes = {
    step: String(model.core.state.step),
    version: String(model.ref.version ?? 0),
    progress: JSON.stringify(progress),
    weights: kindOf(model),
  };
  await replace(folder, STATE_FILE, (path) => writeSafetensors(path, tensorsOf(adapter, model), notes));
  await removeLeft(folder);
}

function tensorsOf({ weights: { places, flat } }: Adapter, { core: { state } }: Trained): TensorToWrite[] {
  return Object.entries({ adapter: flat, first: state.first, second: state.second }).flatMap(([kind, values]) =>
    Object.entries(viewsOf(values, places)).map(([name, data]): TensorToWrite => {
      return { name: `${kind}.${name}`, shape: places.get(name)?.shape ?? [], data, type: "F32" };
    }),
  );
}

/** The model goes on as it was saved. Gives the progress. */
export async function resumeAdapterTraining(folder: string, model: Trained): Promise<JsonObject> {
  const { weights } = adapterOf(model);
  const { state } = model.core;
  const file = await openSafetensors(join(folder, STATE_FILE));
  try {
    // Read aside first: a file that fails half-way must not leave half of it behind.
    const parts = { adapter: weights.flat.slice(), first: state.first.slice(), second: state.second.slice() };
    for (const [kind, values] of Object.entries(parts)) {
      for (const [name, view] of Object.entries(viewsOf(values, weights.places))) {
        await file.readInto(`${kind}.${name}`, view);
      }
    }
    const [step, version] = [Number(file.metadata["step"]), Number(file.metadata["version"])];
    const progress: unknown = JSON.parse(file.metadata["progress"] ?? "null");
    if (!Number.isSafeInteger(step) || !Number.isSafeInteger(version) || !isObject(progress)) {
      throw new EngineError("bad-state", `"${file.path}" lacks its step, version or progress; it is damaged.`);
    }
    weights.flat.set(parts.adapter);
    state.first.set(parts.first);
    state.second.set(parts.second);
    state.step = step;
    model.discard();
    model.replaced(version);
    return progress;
  } finally {
    await file.close();
  }
}

/** How the training in the folder keeps its base model: "float32" where it is not one of these. */
export async function weightsOfTraining(folder: string): Promise<string> {
  try {
    const file = await openSafetensors(join(folder, STATE_FILE));
    await file.close();
    return file.metadata["weights"] ?? "unknown";
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "float32";
    throw error;
  }
}

/** Where the model of a folder lies that holds only an adapter; undefined of any other folder. */
export async function baseOfAdapter(folder: string): Promise<string | undefined> {
  if (!(await isThere(join(folder, CONFIG_FILE))) || (await isThere(join(folder, "config.json")))) return undefined;
  const named = (await readJsonFile(folder, CONFIG_FILE))?.["base_model_name_or_path"];
  const base = typeof named === "string" && named !== "" ? resolve(folder, named) : undefined;
  if (base !== undefined && base !== resolve(folder) && (await isModelPlace(base))) return base;
  throw new EngineError(
    "missing-weights",
    `"${folder}" holds an adapter without its model, and ${typeof named === "string" ? `"${named}"` : "the model"} that it was made for is not at hand. Open that model with the adapter: --model DIR --adapter "${folder}".`,
  );
}

function adapterOf({ adapter }: Trained): Adapter {
  if (adapter !== undefined) return adapter;
  throw new EngineError("needs-unmet", "The model has no adapter, so that there is none to save.");
}

function kindOf({ weights: { frozen } }: Trained): string {
  return frozen === undefined ? "float32" : `int${frozen.bits}`;
}
