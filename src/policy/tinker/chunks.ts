/** A batch in requests of bounded size, and their answers as one. */
import { EngineError } from "../../base/index.ts";
import { tokensOf } from "./datum.ts";
import { mergeMetrics } from "./merge-metrics.ts";
import { unpackFloats, unpackInts } from "./packed.ts";
import type { Datum } from "./wire.ts";

export interface ChunkLimits {
  /** Default: 1,024. */
  readonly datums?: number | undefined;
  /** Of the JSON text. Default: 5 MB. */
  readonly bytes?: number | undefined;
  /** Default: none. */
  readonly tokens?: number | undefined;
}

export interface ForwardOutput {
  /** Log-probability of every target, per datum. */
  readonly logprobs: readonly Float64Array[];
  readonly losses: readonly Float64Array[];
  /** Log-probabilities of the candidates, per datum; empty where none were given. */
  readonly candidates: readonly Float32Array[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** In order; a datum that is too large by itself is a request of its own. */
export function splitDatums(data: readonly Datum[], limits: ChunkLimits = {}): Datum[][] {
  const { datums = 1_024, bytes = 5_000_000, tokens = Number.POSITIVE_INFINITY } = limits;
  const chunks: Datum[][] = [];
  let used = { bytes: 0, tokens: 0 };
  for (const datum of data) {
    const own = { bytes: Buffer.byteLength(JSON.stringify(datum)), tokens: tokensOf(datum) };
    const last = chunks.at(-1);
    const fits =
      last !== undefined &&
      last.length < datums &&
      used.bytes + own.bytes <= bytes &&
      used.tokens + own.tokens <= tokens;
    if (fits) last.push(datum);
    else chunks.push([datum]);
    used = fits ? { bytes: used.bytes + own.bytes, tokens: used.tokens + own.tokens } : own;
  }
  return chunks;
}

interface RawOutput {
  readonly loss_fn_outputs: readonly Readonly<Record<string, { readonly data: readonly number[] }>>[];
  readonly metrics?: Readonly<Record<string, number>> | null | undefined;
  readonly limbeck?: { readonly candidates: readonly (string | null)[] } | null | undefined;
}

/** Answers in the order of the requests; one that does not fit its request is refused. */
export function mergeOutputs(chunks: readonly (readonly Datum[])[], outputs: readonly RawOutput[]): ForwardOutput {
  const logprobs: Float64Array[] = [];
  const losses: Float64Array[] = [];
  const candidates: Float32Array[] = [];
  chunks.forEach((chunk, part) => {
    const answers = outputs[part]?.loss_fn_outputs ?? [];
    if (answers.length !== chunk.length) {
      throw misfit(`${chunk.length} datums got ${answers.length} outputs`);
    }
    chunk.forEach((datum, at) => {
      const wanted = tokensOf(datum);
      const { logprobs: own, elementwise_loss: loss } = answers[at] ?? {};
      if (own?.data.length !== wanted) {
        throw misfit(`a datum of ${wanted} tokens got ${own?.data.length ?? "no"} log-probabilities`);
      }
      logprobs.push(Float64Array.from(own.data));
      losses.push(Float64Array.from(loss?.data ?? []));
      candidates.push(readCandidates(datum, outputs[part]?.limbeck?.candidates[at]));
    });
  });
  const metrics = mergeMetrics(
    outputs.map((output, part) => ({ rows: chunks[part]?.length ?? 0, metrics: output.metrics ?? {} })),
  );
  return { logprobs, losses, candidates, metrics };
}

function readCandidates({ limbeck }: Datum, packed: string | null | undefined): Float32Array {
  if (limbeck === undefined) return new Float32Array();
  const wanted = unpackInts(limbeck.ids).length;
  const got = unpackFloats(packed ?? "");
  if (got.length === wanted) return got;
  throw misfit(`${wanted} candidates got ${got.length} log-probabilities`);
}

function misfit(what: string): EngineError {
  return new EngineError("trainer-bad-response", `The trainer's answer does not fit the request: ${what}.`);
}
