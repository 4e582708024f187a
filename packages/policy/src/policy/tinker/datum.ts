/** Rows as the protocol's datums: the client shifts, and every loss input is as long as the input. */
import type { Datum, ForwardAnswer, PackedDatum, WireCandidates, WireTensor } from "./wire.ts";
import { EngineError } from "limbeck-base/base/errors";

/** Loss inputs of a row, aligned with its tokens; position 0 has no prediction and is left out. */
export interface LossInputs {
  readonly weights?: ArrayLike<number>;
  readonly logprobs?: ArrayLike<number>;
  readonly advantages?: ArrayLike<number>;
}

/**
 * The row's first `length` tokens; at least 2.
 *
 * @example
 * const { model_input, loss_fn_inputs } = datumOf(Int32Array.of(5, 6, 7), 3, { weights: [0, 0, 1] });
 * console.log(model_input.chunks[0]?.tokens, loss_fn_inputs["weights"]?.data); // [ 5, 6 ] [ 0, 1 ]
 */
export function datumOf(ids: Int32Array, length: number, inputs: LossInputs, candidates?: WireCandidates): Datum {
  const tokens = Array.from(ids.subarray(0, length));
  const rest = Object.entries(inputs).map(([name, values]: [string, ArrayLike<number>]) => [
    name,
    floats(Array.from({ length: length - 1 }, (_, at) => values[at + 1] as number)),
  ]);
  return {
    model_input: { chunks: [{ type: "encoded_text", tokens: tokens.slice(0, -1) }] },
    loss_fn_inputs: {
      target_tokens: { data: tokens.slice(1), dtype: "int64", shape: [length - 1] },
      ...(Object.fromEntries(rest) as Record<string, WireTensor>),
    },
    ...(candidates === undefined ? {} : { limbeck: candidates }),
  };
}

function floats(data: readonly number[]): WireTensor {
  return { data, dtype: "float32", shape: [data.length] };
}

/** The same datum in a quarter of the bytes, none of which need to be read as digits. */
function packedDatum({ model_input, loss_fn_inputs, limbeck }: Datum): PackedDatum {
  const inputs = Object.entries(loss_fn_inputs).map(([name, { data, dtype }]) => [
    name,
    pack(dtype === "int64" ? Int32Array.from(data) : Float32Array.from(data)),
  ]);
  const tokens = pack(Int32Array.from(model_input.chunks.flatMap((chunk) => chunk.tokens)));
  return { limbeck: { tokens, ...(Object.fromEntries(inputs) as Record<string, string>), ...limbeck } };
}

/** Tokens that one datum makes the server compute. */
export function tokensOf({ model_input }: Datum): number {
  return model_input.chunks.reduce((total, { tokens }) => total + tokens.length, 0);
}

/** How many tokens of a row must be sent so that everything asked for is predicted; 0 where nothing is asked. */
export function neededTokens(length: number, asked: (token: number) => boolean): number {
  for (let token = length - 1; token >= 1; token -= 1) if (asked(token)) return token + 1;
  return 0;
}

// Arrays of the `limbeck` extension: base64 of little-endian 32-bit numbers, which is a third of what JSON needs.

export function pack(values: Int32Array | Float32Array): string {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64");
}

export function unpackInts(text: string): Int32Array {
  return new Int32Array(bytesOf(text));
}

export function unpackFloats(text: string): Float32Array {
  return new Float32Array(bytesOf(text));
}

/** How many numbers a packed array holds. */
function packedCount(text: string): number {
  return Buffer.byteLength(text, "base64") / 4;
}

/** In memory of their own, because that of a Buffer need not begin at a multiple of four. */
function bytesOf(text: string): ArrayBuffer {
  const bytes = new Uint8Array(Buffer.byteLength(text, "base64"));
  const buffer = Buffer.from(bytes.buffer);
  const written = buffer.write(text, "base64");
  if (written === bytes.length && written % 4 === 0) return bytes.buffer;
  throw new EngineError(
    "trainer-bad-response",
    `The trainer packed ${bytes.length} bytes; numbers need a multiple of 4.`,
  );
}

// A batch in requests of bounded size, and their answers as one.

export interface ChunkLimits {
  /** Default: 1,024. */
  readonly datums?: number | undefined;
  /** Of the JSON text. Default: 5 MB. */
  readonly bytes?: number | undefined;
  /** Default: none. */
  readonly tokens?: number | undefined;
  /** Whether the server takes packed rows. Default: false. */
  readonly packed?: boolean | undefined;
}

/** A part of a batch: its datums, and what is sent of each. */
export interface Chunk {
  readonly data: Datum[];
  readonly sent: (Datum | PackedDatum)[];
}

export interface ForwardOutput {
  /** Log-probability of every target, per datum. */
  readonly logprobs: readonly Float64Array[];
  readonly losses: readonly Float64Array[];
  /** Log-probabilities of the candidates, per datum; empty where none were given. */
  readonly candidates: readonly Float32Array[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** The first request of a packed batch is so many times smaller than the others: the server begins with it. */
const FIRST_PART = 4;

/** In order, each as soon as it is full; a datum that is too large by itself is a request of its own. */
export function* splitDatums(data: Iterable<Datum>, limits: ChunkLimits = {}): Generator<Chunk> {
  const { datums = 1_024, bytes = 5_000_000, tokens = Number.POSITIVE_INFINITY, packed = false } = limits;
  let most = packed ? bytes / FIRST_PART : bytes;
  let last: Chunk | undefined;
  let used = { bytes: 0, tokens: 0 };
  for (const datum of data) {
    const sent = packed ? packedDatum(datum) : datum;
    const own = { bytes: sizeOf(sent), tokens: tokensOf(datum) };
    const fits =
      last !== undefined &&
      last.data.length < datums &&
      used.bytes + own.bytes <= most &&
      used.tokens + own.tokens <= tokens;
    if (last !== undefined && fits) {
      last.data.push(datum);
      last.sent.push(sent);
    } else {
      if (last !== undefined) {
        yield last;
        most = bytes;
      }
      last = { data: [datum], sent: [sent] };
    }
    used = fits ? { bytes: used.bytes + own.bytes, tokens: used.tokens + own.tokens } : own;
  }
  if (last !== undefined) yield last;
}

/** Of its JSON text. Packed arrays are plain letters, so their lengths give it. */
function sizeOf(sent: Datum | PackedDatum): number {
  if ("model_input" in sent) return Buffer.byteLength(JSON.stringify(sent));
  return Object.entries(sent.limbeck).reduce((sum, [name, value]) => sum + name.length + String(value).length + 6, 16);
}

/** Answers in the order of the requests; one that does not fit its request is refused. */
export function mergeOutputs(chunks: readonly Chunk[], outputs: readonly ForwardAnswer[]): ForwardOutput {
  const logprobs: Float64Array[] = [];
  const losses: Float64Array[] = [];
  const candidates: Float32Array[] = [];
  chunks.forEach(({ data }, part) => {
    const packed = outputs[part]?.limbeck;
    const answers = packed?.logprobs?.map((text, at) => unpacked(text, packed.losses?.[at])) ?? plainly(outputs[part]);
    if (answers.length !== data.length) {
      throw misfit(`${data.length} datums got ${answers.length} outputs`);
    }
    data.forEach((datum, at) => {
      const wanted = tokensOf(datum);
      const { own, loss } = answers[at] as Answered;
      if (own?.length !== wanted) {
        throw misfit(`a datum of ${wanted} tokens got ${own?.length ?? "no"} log-probabilities`);
      }
      logprobs.push(own);
      losses.push(loss);
      candidates.push(readCandidates(datum, packed?.candidates?.[at]));
    });
  });
  const metrics = mergeMetrics(
    outputs.map((output, part) => ({ rows: chunks[part]?.data.length ?? 0, metrics: output.metrics ?? {} })),
  );
  return { logprobs, losses, candidates, metrics };
}

/** Of one datum. */
interface Answered {
  readonly own: Float64Array | undefined;
  readonly loss: Float64Array;
}

function plainly(output: ForwardAnswer | undefined): Answered[] {
  return (output?.loss_fn_outputs ?? []).map(({ logprobs, elementwise_loss: loss }) => ({
    own: logprobs === undefined ? undefined : Float64Array.from(logprobs.data),
    loss: Float64Array.from(loss?.data ?? []),
  }));
}

function unpacked(logprobs: string, losses = ""): Answered {
  return { own: Float64Array.from(unpackFloats(logprobs)), loss: Float64Array.from(unpackFloats(losses)) };
}

function readCandidates({ limbeck }: Datum, packed: string | null | undefined): Float32Array {
  if (limbeck === undefined) return new Float32Array();
  const wanted = packedCount(limbeck.ids);
  const got = unpackFloats(packed ?? "");
  if (got.length === wanted) return got;
  throw misfit(`${wanted} candidates got ${got.length} log-probabilities`);
}

function misfit(what: string): EngineError {
  return new EngineError("trainer-bad-response", `The trainer's answer does not fit the request: ${what}.`);
}

// Metrics of a batch that went in several requests. The part of a name after the colon says how: `mean`, `sum`, `min`,
// `max`, `slack` (largest minus mean), `unique` (each kept) and `hash_unordered`. Means are weighted by rows.

interface PartMetrics {
  readonly rows: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export function mergeMetrics(parts: readonly PartMetrics[]): Record<string, number> {
  const names = [...new Set(parts.flatMap(({ metrics }) => Object.keys(metrics)))];
  return Object.fromEntries(names.flatMap((name) => mergeOne(name, parts)));
}

function mergeOne(name: string, parts: readonly PartMetrics[]): (readonly [string, number])[] {
  const found = parts.flatMap(({ rows, metrics }) => {
    const value = metrics[name];
    return value === undefined ? [] : [{ rows, value }];
  });
  const values = found.map(({ value }) => value);
  const how = name.slice(name.lastIndexOf(":") + 1);
  if (how === "unique" && values.length > 1) return values.map((value, at) => [`${name}_${at}`, value]);
  const merge = MERGES[how] ?? weightedMean;
  return [
    [
      name,
      merge(
        values,
        found.map(({ rows }) => rows),
      ),
    ],
  ];
}

const MERGES: Readonly<Record<string, (values: readonly number[], rows: readonly number[]) => number>> = {
  sum: (values) => values.reduce((total, value) => total + value, 0),
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  // The order of the parts must not matter; a sum does not know it.
  hash_unordered: (values) => values.reduce((total, value) => total + value, 0),
};

function weightedMean(values: readonly number[], rows: readonly number[]): number {
  const total = rows.reduce((sum, count) => sum + count, 0);
  return values.reduce((sum, value, at) => sum + (value * (rows[at] as number)) / total, 0);
}
