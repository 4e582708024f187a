/**
 * Adapters in the layout of PEFT: `adapter_config.json` and `adapter_model.safetensors`, so that PEFT and the servers that
 * follow it load what was trained here, and the reverse. What PEFT can say and this engine does not compute is refused
 * by name. Heads that learned with the adapter stand in `heads.safetensors`, which PEFT does not know.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError, errorCode, isObject } from "../../base/index.ts";
import { replace } from "./checkpoint.ts";
import type { JsonObject } from "./config-file.ts";
import type { WritableType } from "./element-type.ts";
import { MATRIX_NAMES } from "./forms.ts";
import type { Adapter } from "./lora.ts";
import type { LoraShape, LoraTarget } from "./model-config.ts";
import { readJsonFile } from "./model-folder.ts";
import { quoted } from "./quoted.ts";
import { openSafetensors, type SafetensorsFile, type TensorToWrite, writeSafetensors } from "./safetensors.ts";
import { layOut } from "./weights.ts";

const CONFIG_FILE = "adapter_config.json";
const MODEL_FILE = "adapter_model.safetensors";
const HEADS_FILE = "heads.safetensors";
/** What PEFT puts before the name of a parameter. */
const PREFIX = "base_model.model.";

export interface AdapterNotes {
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
 * import { bundledModel, createAdapter } from "limbeck/policy/local";
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
    throw new EngineError("weights-not-finite", `"${folder}": ${quoted(odd)} holds a number that is not finite.`);
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
 * import { bundledModel, createAdapter, saveAdapter } from "limbeck/policy/local";
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
      `${where}: "${key}" is ${quoted(JSON.stringify(json[key]) ?? "missing")}; it must be ${allowed}.`,
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
    `${where} holds ${quoted(name)}; an adapter's tensors are named ${PREFIX}….lora_A.weight and ….lora_B.weight.`,
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
