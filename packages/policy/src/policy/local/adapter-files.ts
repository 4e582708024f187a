/**
 * Adapters in the layout of PEFT: `adapter_config.json` and `adapter_model.safetensors`, so that PEFT and the servers that
 * follow it load what was trained here, and the reverse. What PEFT can say and this engine does not compute is refused
 * by name. Heads that learned with the adapter stand in `heads.safetensors`, which PEFT does not know.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { isObject } from "limbeck-base/base/json";
import { bundledFolder } from "./bundled-model.ts";
import { appearWhole, replace } from "./checkpoint.ts";
import type { JsonObject } from "./config-file.ts";
import type { WritableType } from "./element-type.ts";
import { MATRIX_NAMES } from "./forms.ts";
import type { Adapter } from "./lora.ts";
import type { LoraShape, LoraTarget } from "./model-config.ts";
import { readJsonFile } from "./model-folder.ts";
import { quote } from "./quote.ts";
import { openSafetensors, writeSafetensors, type SafetensorsFile, type TensorToWrite } from "./safetensors.ts";
import { layOut, viewsOf } from "./weights.ts";
import { isThere } from "limbeck-base/base/files";
import { removeLeft } from "limbeck-base/base/writing-names";
import { isModelPlace } from "./is-gguf.ts";
import type { LocalModel } from "./local-model.ts";

const CONFIG_FILE = "adapter_config.json";
const MODEL_FILE = "adapter_model.safetensors";
const HEADS_FILE = "heads.safetensors";
/** What PEFT puts before the name of a parameter. */
const PREFIX = "base_model.model.";

interface AdapterNotes {
  /** Name or path of the base model, for PEFT. */
  readonly base?: string;
  /** How its numbers are written. Default: "F32". */
  readonly type?: WritableType;
}

/**
 * Writes the adapter in PEFT's layout.
 *
 * @example
 * import { mkdtemp, readdir, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bundledModel, createAdapter } from "limbeck/local";
 *
 * const model = await openModel(bundledModel("countdown"));
 * const folder = await mkdtemp(join(tmpdir(), "adapter-"));
 * await saveAdapter(folder, createAdapter(model.config, { rank: 2 }));
 * console.log((await readdir(folder)).sort()); // [ "adapter_config.json", "adapter_model.safetensors" ]
 * await rm(folder, { recursive: true });
 * await model.close();
 */
export async function saveAdapter(folder: string, adapter: Adapter, notes: AdapterNotes = {}): Promise<void> {
  await mkdir(folder, { recursive: true });
  const tensors = [...adapter.weights.places].map(([name, { shape }]): TensorToWrite => {
    const data = adapter.weights.views[name] as Float32Array;
    return { name, shape, data, type: notes.type ?? "F32" };
  });
  const heads = tensors.filter(({ name }) => !name.includes(".lora_"));
  const matrices = tensors.filter(({ name }) => name.includes(".lora_"));
  const config = `${JSON.stringify(configOf(adapter.lora, notes), undefined, 2)}\n`;
  await replace(folder, CONFIG_FILE, (path) => writeFile(path, config, { flush: true }));
  if (heads.length > 0) await replace(folder, HEADS_FILE, (path) => writeSafetensors(path, heads));
  const named = matrices.map((tensor) => ({ ...tensor, name: PREFIX + tensor.name }));
  await replace(folder, MODEL_FILE, (path) => writeSafetensors(path, named));
}

/** Undefined where the folder holds no adapter. */
export async function findAdapter(folder: string): Promise<Adapter | undefined> {
  const config = await readJsonFile(folder, CONFIG_FILE);
  if (config === undefined) return undefined;
  const file = await openFile(folder, MODEL_FILE);
  if (file === undefined) {
    throw new EngineError("missing-weights", `"${folder}" has ${CONFIG_FILE} but no ${MODEL_FILE}.`);
  }
  const heads = await openFile(folder, HEADS_FILE);
  try {
    // SkyRL leaves the targets out; its tensors name them.
    const named = config["target_modules"] ?? targetsIn(file);
    const lora = parseLora({ ...config, target_modules: named }, join(folder, CONFIG_FILE));
    const matrices = [...file.tensors].map(([name, { shape }]) => [plainName(name, file.path), shape] as const);
    const extra = [...(heads?.tensors ?? [])].map(([name, { shape }]) => [name, shape] as const);
    const weights = layOut([...matrices, ...extra]);
    for (const name of file.tensors.keys()) {
      await file.readInto(name, weights.views[plainName(name, file.path)] as Float32Array);
    }
    for (const [name] of extra) await heads?.readInto(name, weights.views[name] as Float32Array);
    const odd = [...weights.places.keys()].find((name) => !weights.views[name]?.every(Number.isFinite));
    if (odd === undefined) return { lora, weights };
    throw new EngineError("weights-not-finite", `"${folder}": ${quote(odd)} holds a number that is not finite.`);
  } finally {
    await Promise.all([file.close(), heads?.close()]);
  }
}

/**
 * The adapter of a folder. What this engine does not compute is refused by name.
 *
 * @example
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bundledModel, createAdapter, saveAdapter } from "limbeck/local";
 *
 * const model = await openModel(bundledModel("countdown"));
 * const folder = await mkdtemp(join(tmpdir(), "adapter-"));
 * await saveAdapter(folder, createAdapter(model.config, { rank: 2 }));
 * console.log((await readAdapter(folder)).lora.rank); // 2
 * await rm(folder, { recursive: true });
 * await model.close();
 */
export async function readAdapter(folder: string): Promise<Adapter> {
  const adapter = await findAdapter(folder);
  if (adapter !== undefined) return adapter;
  throw new EngineError(
    "not-an-adapter",
    `"${folder}" has no ${CONFIG_FILE}; an adapter folder holds ${CONFIG_FILE} and ${MODEL_FILE}.`,
  );
}

function configOf(lora: LoraShape, { base }: AdapterNotes): JsonObject {
  return {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    base_model_name_or_path: base ?? null,
    r: lora.rank,
    lora_alpha: lora.alpha,
    target_modules: [...lora.targets],
    lora_dropout: 0,
    bias: "none",
    fan_in_fan_out: false,
    use_rslora: false,
    use_dora: false,
    modules_to_save: null,
    inference_mode: true,
  };
}

function parseLora(json: JsonObject, where: string): LoraShape {
  const bad = (key: string, allowed: string): EngineError =>
    new EngineError(
      "bad-adapter-config",
      `${where}: "${key}" is ${quote(JSON.stringify(json[key]) ?? "missing")}; it must be ${allowed}.`,
      { details: { key } },
    );
  if (json["peft_type"] !== "LORA") throw bad("peft_type", '"LORA"');
  for (const key of ["use_rslora", "use_dora", "fan_in_fan_out", "lora_bias"]) {
    if (json[key] !== undefined && json[key] !== null && json[key] !== false) throw bad(key, "false");
  }
  for (const key of ["rank_pattern", "alpha_pattern", "modules_to_save", "layers_to_transform", "target_parameters"]) {
    const value = json[key] ?? [];
    const size = Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 1;
    if (size > 0) throw bad(key, "empty");
  }
  if ((json["bias"] ?? "none") !== "none") throw bad("bias", '"none"');
  const { r: rank, lora_alpha: alpha, target_modules: targets } = json;
  if (!(Number.isSafeInteger(rank) && (rank as number) >= 1)) throw bad("r", "a whole number of at least 1");
  if (!(typeof alpha === "number" && alpha > 0)) throw bad("lora_alpha", "a number above 0");
  const known = (target: unknown): boolean => (MATRIX_NAMES as readonly unknown[]).includes(target);
  if (!Array.isArray(targets) || targets.length === 0 || !targets.every(known)) {
    throw bad("target_modules", `a list of ${MATRIX_NAMES.join(", ")}`);
  }
  // PEFT writes a set, in any order; ours is fixed.
  return {
    rank: rank as number,
    alpha,
    targets: MATRIX_NAMES.filter((target: LoraTarget) => targets.includes(target)),
  };
}

function targetsIn({ tensors }: SafetensorsFile): string[] {
  return [...new Set([...tensors.keys()].map((name) => name.split(".").at(-3) ?? name))];
}

function plainName(name: string, where: string): string {
  const plain = name.slice(PREFIX.length);
  if (name.startsWith(PREFIX) && /\.lora_[AB]\.weight$/.test(plain)) return plain;
  throw new EngineError(
    "unknown-tensor",
    `${where} holds ${quote(name)}; an adapter's tensors are named ${PREFIX}….lora_A.weight and ….lora_B.weight.`,
  );
}

async function openFile(folder: string, name: string): Promise<SafetensorsFile | undefined> {
  try {
    return await openSafetensors(join(folder, name));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

// Trainings of an adapter whose base model is quantised and stays where it is: only what learns is written. The adapter
// stands in the layout of PEFT, and `adapter-training.safetensors` holds it again with the optimiser and the progress. That
// file is written last and by one rename, and a resumed training reads nothing else.

const STATE_FILE = "adapter-training.safetensors";

/** What is written of a training. */
interface AdapterTraining {
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
  const base = typeof named === "string" && named !== "" ? (bundledFolder(named) ?? resolve(folder, named)) : undefined;
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
