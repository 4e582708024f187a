/** The files of a Hugging Face folder: what is there, whether it fits together, and the weights into their places. */
import { basename, join } from "node:path";
import { mapLimit } from "limbeck-base/base/concurrency";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { boundedJson, isObject } from "limbeck-base/base/json";
import { plainText } from "limbeck-base/base/plain-file";
import { ELEMENT_BYTES } from "./element-type.ts";
import { parseConfig, type JsonObject } from "./config-file.ts";
import { parameterShapes, type ModelConfig } from "./model-config.ts";
import { quote } from "./quote.ts";
import { openSafetensors, type SafetensorsFile, type TensorPlace } from "./safetensors.ts";
import { createMatrix, quantiseRows, type Bits, type QuantisedMatrix } from "./quantised/matrix.ts";
import { checkFinite, oddPlace, type Weights } from "./weights.ts";

export interface ModelFolder {
  readonly path: string;
  readonly config: ModelConfig;
  /** `config.json` and `generation_config.json` as they are, for what this engine does not use but should keep. */
  readonly configJson: JsonObject;
  readonly generationJson: JsonObject;
  /** The header notes of the weight file; a checkpoint's state is found through them. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Reads every weight that has a place; `weights` must have the configuration's layout. */
  readWeights(weights: Weights): Promise<void>;
  /** Reads a matrix in few bits, exactly where the file has it so, and otherwise rounded. */
  readMatrix(name: string, bits: Bits): Promise<ReadMatrix>;
  close(): Promise<void>;
}

export interface ReadMatrix {
  readonly matrix: QuantisedMatrix;
  /** Whether the file holds these very codes and scales. */
  readonly exact: boolean;
}

export const WEIGHTS_FILE = "model.safetensors";
/** Tensors that are read at the same time: one is decoded while the disk brings the others. */
export const READ_AT_ONCE = 4;
const INDEX_FILE = "model.safetensors.index.json";

/** Opens and checks everything, and reads no weight yet: nothing large is allocated before all of it fits. */
export async function openModelFolder(path: string): Promise<ModelFolder> {
  const configJson = await readJsonFile(path, "config.json");
  if (configJson === undefined) {
    throw new EngineError(
      "not-a-model",
      `"${path}" has no config.json; a model folder holds config.json, model.safetensors and tokenizer.json.`,
    );
  }
  const config = parseConfig(configJson, join(path, "config.json"));
  const generationJson = (await readJsonFile(path, "generation_config.json")) ?? {};
  const files = await openWeightFiles(path);
  const close = async (): Promise<void> => void (await Promise.all([...files].map((file) => file.close())));
  try {
    const owners = ownersOf(files);
    const shapes = parameterShapes(config);
    checkTensors(path, config, shapes, (name) => owners.get(name)?.place, owners.keys());
    checkTypes(path, shapes, owners);
    return {
      path,
      config,
      configJson,
      generationJson,
      metadata: files[0]?.metadata ?? {},
      readWeights: async (weights) => {
        await mapLimit(placesIn(weights, shapes), READ_AT_ONCE, ([name, view]) =>
          (owners.get(name) as Owner).file.readInto(name, view),
        );
        checkFinite(weights, path);
      },
      readMatrix: async (name, bits) => ({
        exact: false,
        matrix: await readRounded(path, name, shapes.get(name) as readonly number[], bits, (view) =>
          (owners.get(name) as Owner).file.readInto(name, view),
        ),
      }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The parameters of a model's own that have a place, which frozen matrices have not. */
export function placesIn(
  { views }: Weights,
  shapes: ReadonlyMap<string, readonly number[]>,
): (readonly [string, Float32Array])[] {
  return [...shapes.keys()].flatMap((name) => {
    const view = views[name];
    return view === undefined ? [] : [[name, view] as const];
  });
}

/** A matrix read as float32, checked, and rounded to few bits. */
export async function readRounded(
  where: string,
  name: string,
  shape: readonly number[],
  bits: Bits,
  read: (into: Float32Array) => Promise<void>,
): Promise<QuantisedMatrix> {
  const matrix = createMatrix(name, shape, bits);
  const values = new Float32Array(matrix.shape[0] * matrix.shape[1]);
  await read(values);
  const odd = oddPlace({ [name]: values });
  if (odd !== undefined) throw new EngineError("weights-not-finite", `${where}: ${odd}; every weight must be finite.`);
  quantiseRows(matrix, 0, values);
  return matrix;
}

/** A JSON object from a file of the folder; undefined where there is none. */
export async function readJsonFile(folder: string, name: string): Promise<JsonObject | undefined> {
  const text = await readTextFile(folder, name);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = boundedJson(text);
  } catch (error) {
    throw new EngineError("bad-json", `${join(folder, name)} is not JSON.`, { cause: error });
  }
  if (isObject(value)) return value;
  throw new EngineError("bad-json", `${join(folder, name)} does not hold a JSON object.`);
}

export async function readTextFile(folder: string, name: string): Promise<string | undefined> {
  const path = join(folder, name);
  try {
    return await plainText(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

interface Owner {
  readonly file: SafetensorsFile;
  readonly place: TensorPlace;
}

/** One file, or the files of an index. Where both are there the single file counts, as transformers has it. */
async function openWeightFiles(folder: string): Promise<SafetensorsFile[]> {
  try {
    return [await openSafetensors(join(folder, WEIGHTS_FILE))];
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  const index = await readJsonFile(folder, INDEX_FILE);
  if (index === undefined) {
    throw new EngineError("missing-weights", `"${folder}" has neither ${WEIGHTS_FILE} nor ${INDEX_FILE}.`);
  }
  const names = namesOf(index, folder);
  const opened = await Promise.allSettled(names.map((name) => openSafetensors(join(folder, name))));
  const files = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const at = opened.findIndex((result) => result.status === "rejected");
  if (at < 0) return files;
  await Promise.all(files.map((file) => file.close()));
  const { reason } = opened[at] as PromiseRejectedResult;
  if (errorCode(reason) !== "ENOENT") throw reason;
  throw new EngineError("missing-weights", `"${folder}" lacks ${quote(names[at] as string)}, which its index names.`);
}

/** File names of the index. They are foreign text, so only plain names of this folder are allowed. */
function namesOf(index: JsonObject, folder: string): string[] {
  const map = index["weight_map"];
  const names = isObject(map) ? [...new Set(Object.values(map))] : [];
  const odd = names.find(
    (name) => typeof name !== "string" || basename(name) !== name || !name.endsWith(".safetensors"),
  );
  if (names.length > 0 && odd === undefined) return (names as string[]).sort();
  throw new EngineError(
    "bad-weight-index",
    names.length === 0
      ? `${join(folder, INDEX_FILE)} has no "weight_map" that says which file holds which tensor.`
      : `${join(folder, INDEX_FILE)} names ${quote(typeof odd === "string" ? odd : JSON.stringify(odd))}; allowed are plain names that end in .safetensors.`,
  );
}

function ownersOf(files: readonly SafetensorsFile[]): Map<string, Owner> {
  const owners = new Map<string, Owner>();
  for (const file of files) {
    for (const [name, place] of file.tensors) {
      const other = owners.get(name);
      if (other !== undefined) {
        const both = `${basename(other.file.path)} and ${basename(file.path)}`;
        throw new EngineError("duplicate-tensor", `Tensor ${quote(name)} stands in ${both}; it must stand in one.`);
      }
      owners.set(name, { file, place });
    }
  }
  return owners;
}

/** Every parameter is there in its shape, and nothing that would have to be left out. */
export function checkTensors(
  where: string,
  config: ModelConfig,
  shapes: ReadonlyMap<string, readonly number[]>,
  placeOf: (name: string) => { readonly shape: readonly number[] } | undefined,
  there: Iterable<string>,
  asks = "config.json",
): void {
  const some = (names: readonly string[]): string =>
    names
      .slice(0, 5)
      .map((name) => quote(name))
      .join(", ") + (names.length > 5 ? ` and ${names.length - 5} more` : "");
  const missing = [...shapes.keys()].filter((name) => placeOf(name) === undefined);
  if (missing.length > 0) {
    const hint = missing.includes("lm_head.weight")
      ? ' If its embeddings are shared, config.json must say "tie_word_embeddings": true.'
      : "";
    throw new EngineError("missing-tensor", `"${where}" lacks ${some(missing)}.${hint}`, { details: { missing } });
  }
  const extra = [...there].filter((name) => !shapes.has(name) && !isHarmless(name, config));
  if (extra.length > 0) {
    throw new EngineError(
      "unknown-tensor",
      `"${where}" holds ${some(extra)}, which a model of the ${config.form} form does not have; leaving it out would change what the model says.`,
      { details: { extra } },
    );
  }
  for (const [name, shape] of shapes) {
    const found = placeOf(name)?.shape ?? [];
    if (found.join() !== shape.join()) {
      throw new EngineError(
        "bad-tensor-shape",
        `"${where}": tensor ${quote(name)} is [${found.join(", ")}]; ${asks} asks for [${shape.join(", ")}].`,
      );
    }
  }
}

function checkTypes(folder: string, shapes: ReadonlyMap<string, unknown>, owners: ReadonlyMap<string, Owner>): void {
  for (const name of shapes.keys()) {
    const { type } = (owners.get(name) as Owner).place;
    if (!Object.hasOwn(ELEMENT_BYTES, type)) {
      throw new EngineError(
        "bad-element-type",
        `"${folder}": tensor ${quote(name)} holds ${type}; readable are ${Object.keys(ELEMENT_BYTES).join(", ")}.`,
      );
    }
  }
}

/** What can be left out: tables that follow from the configuration, and a second copy of shared embeddings. */
function isHarmless(name: string, config: ModelConfig): boolean {
  return name.endsWith(".rotary_emb.inv_freq") || (config.tiedEmbeddings && name === "lm_head.weight");
}
