/** Statistics of given tokens from a trainer: log-probabilities, and where it can those of candidates beside them. */
import { EngineError } from "limbeck-base/base/errors";
import { mapLimit } from "limbeck-base/base/concurrency";
import { checkRowTokens, emptyTop, refuseRow } from "../local/scorer.ts";
import type { StatisticName } from "../objective.ts";
import type { RowStatistics, ScoreOptions, Scorer, ScoreRow, TopTokens, TopTokensOptions } from "../policy.ts";
import { datumOf, neededTokens, pack, unpackFloats, unpackInts } from "./datum.ts";
import type { SamplingClient } from "./sampling-client.ts";
import type { TrainingClient } from "./training-client.ts";
import { notFinite, type Datum, type WireCandidates } from "./wire.ts";

export interface RowLimits {
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** Most candidates that the trainer takes at a token. Default: none. */
  readonly candidates?: number | undefined;
}

/** What the protocol has, and what a server adds that announces candidates. */
export function remoteStatistics({ candidates = 0 }: Pick<RowLimits, "candidates">): readonly StatisticName[] {
  return candidates > 0 ? ["logprob", "candidates"] : ["logprob"];
}

/** By the weights that learn. */
export function scoreByForward(training: () => TrainingClient, limits: RowLimits): Scorer {
  return {
    statistics: remoteStatistics(limits),
    score: async (rows, options = {}) => {
      checkRows(rows, limits, options);
      return await forwardRows(training(), rows, options);
    },
  };
}

/** Rows through `forward`; rows of which nothing is asked cost nothing. */
export async function forwardRows(
  training: TrainingClient,
  rows: readonly ScoreRow[],
  { signal, report, statistics = ["logprob"] }: ScoreOptions = {},
): Promise<RowStatistics[]> {
  const isWide = statistics.includes("candidates");
  const results = rows.map((row) => ({ logprob: new Float32Array(row.ids.length), ...emptyWide(row, isWide) }));
  const lengths = rows.map((row) => neededTokens(row.ids.length, (token) => row.mask?.[token] !== 0));
  const sent: { readonly at: number; readonly wide: WideRow | undefined }[] = [];
  /** Each when it is asked for. */
  function* datums(): Generator<Datum> {
    for (const [at, row] of rows.entries()) {
      const length = lengths[at] as number;
      if (length === 0) continue;
      const wide = isWide ? wideRow(row, (token) => row.mask?.[token] !== 0) : undefined;
      const weights = new Uint8Array(length).fill(1);
      sent.push({ at, wide });
      yield datumOf(row.ids, length, { weights }, wide === undefined ? undefined : packWide(wide, "datum"));
    }
  }
  if (lengths.some((length) => length > 0)) {
    const { logprobs, candidates } = await training.forward(datums(), { signal });
    sent.forEach(({ at, wide }, order) => {
      const result = results[at];
      fill(result?.logprob, rows[at], logprobs[order] ?? []);
      if (wide !== undefined && result?.candidates !== undefined) {
        fillWide(wide, candidates[order] ?? new Float32Array(), result.candidates);
      }
    });
  }
  report?.({ tokens: rows.reduce((total, { ids }) => total + ids.length, 0), tokensSaved: 0 });
  return results;
}

/** By frozen weights: the prompt's own log-probabilities, asked for together with one token that is thrown away. */
export function scoreByPrompt(
  client: (signal: AbortSignal | undefined) => Promise<SamplingClient>,
  limits: RowLimits & { readonly concurrency: number },
): Scorer {
  return {
    statistics: remoteStatistics(limits),
    score: async (rows, options = {}) => {
      checkRows(rows, limits, options);
      const frozen = await client(options.signal);
      const isWide = options.statistics?.includes("candidates") === true;
      const one = async (row: ScoreRow, _: number, signal: AbortSignal): Promise<RowStatistics> => {
        const result = { logprob: new Float32Array(row.ids.length), ...emptyWide(row, isWide) };
        const asked = (token: number): boolean => row.mask?.[token] !== 0;
        const length = askedLength(row, limits);
        if (length === 0) return result;
        const wide = isWide ? wideRow(row, (token) => token < length && asked(token)) : undefined;
        const { promptLogprobs = [], wide: said } = await frozen.sample({
          ...ONE_TOKEN,
          prompt: row.ids.subarray(0, length),
          promptLogprobs: true,
          signal,
          ...(wide === undefined ? {} : { extension: { candidates: packWide(wide, "prompt") } }),
        });
        fillFromPrompt(result.logprob, row, promptLogprobs);
        if (wide !== undefined && result.candidates !== undefined) {
          fillWide(wide, unpackFloats(said?.candidates ?? ""), result.candidates);
        }
        return result;
      };
      const { signal } = options;
      return await mapLimit(rows, limits.concurrency, one, signal === undefined ? {} : { signal });
    },
  };
}

/** The protocol always says one more token. */
const ONE_TOKEN = { params: { max_tokens: 1, temperature: 0, seed: 0 } } as const;

/** How much of a row is sent, so that the context has room for that token. */
function askedLength({ ids, mask }: ScoreRow, { contextLength }: RowLimits): number {
  return neededTokens(Math.min(ids.length, contextLength - 1), (token) => mask?.[token] !== 0);
}

/** What a server says of the tokens of a prompt; where something is asked it must be a number. */
function fillFromPrompt(
  into: Float32Array | undefined,
  row: ScoreRow,
  promptLogprobs: readonly (number | null)[] = [],
): void {
  const odd = promptLogprobs.findIndex((value, at) => at > 0 && value === null && row.mask?.[at] !== 0);
  if (odd >= 0) throw notFinite("asample", `prompt_logprobs.${odd}`);
  fill(
    into,
    row,
    promptLogprobs.slice(1).map((value) => value ?? 0),
  );
}

function fill(into: Float32Array | undefined, row: ScoreRow | undefined, logprobs: ArrayLike<number>): void {
  for (let at = 0; at < logprobs.length; at += 1) {
    if (into !== undefined && row?.mask?.[at + 1] !== 0) into[at + 1] = logprobs[at] as number;
  }
}

export function checkRows(
  rows: readonly ScoreRow[],
  limits: RowLimits,
  { statistics = ["logprob"] }: ScoreOptions,
): void {
  const known = remoteStatistics(limits);
  const missing = statistics.filter((name) => !known.includes(name));
  if (missing.length > 0) {
    throw new EngineError(
      "missing-statistic",
      `This trainer gives ${known.includes("candidates") ? "candidates' and own " : ""}log-probabilities only; "${missing.join('", "')}" needs a model in this process.`,
    );
  }
  rows.forEach((row, at) => {
    checkRowTokens(limits, row, at);
    const { count = 0 } = row.candidates ?? {};
    if (!statistics.includes("candidates") || count <= (limits.candidates ?? 0)) return;
    refuseRow(at, "bad-candidates", `it has ${count} candidates at a token; the trainer takes ${limits.candidates}.`);
  });
}

// The most likely tokens at every asked place, from a trainer's frozen weights.

/** A server that announces candidates sends those of asked places only, packed; others send all, or none. */
export async function topByPrompt(
  samples: SamplingClient,
  limits: RowLimits & { readonly concurrency: number },
  rows: readonly ScoreRow[],
  { count, signal: outer }: TopTokensOptions,
): Promise<TopTokens[]> {
  checkRows(rows, limits, {});
  const packed = (limits.candidates ?? 0) > 0;
  const results = emptyTop(rows, count).map((top, at) => {
    return packed ? { ...top, own: new Float32Array(rows[at]?.ids.length ?? 0) } : top;
  });
  const ask = packed ? askPacked : askPlain;
  const one = async (row: ScoreRow, at: number, signal: AbortSignal): Promise<void> => {
    const length = askedLength(row, limits);
    if (length > 0) await ask(samples, { row, length, count, signal }, results[at] as TopTokens);
  };
  await mapLimit(rows, limits.concurrency, one, outer === undefined ? {} : { signal: outer });
  return results;
}

interface Asked {
  readonly row: ScoreRow;
  readonly length: number;
  readonly count: number;
  readonly signal: AbortSignal;
}

async function askPlain(
  samples: SamplingClient,
  { row: { ids, mask }, length, count, signal }: Asked,
  into: TopTokens,
): Promise<void> {
  const { topK } = await samples.sample({ ...ONE_TOKEN, prompt: ids.subarray(0, length), topK: count, signal });
  // Some leave out the first token, which nothing predicts.
  const shift = length - (topK?.length ?? 0);
  for (let token = 1; token < length; token += 1) {
    if (mask?.[token] === 0) continue;
    const pairs = topK?.[token - shift];
    if (pairs?.length !== count || shift > 1) throw noTop(count, pairs?.length ?? 0);
    pairs.forEach(([id, logprob], place) => {
      into.ids[token * count + place] = id;
      into.logprobs[token * count + place] = logprob;
    });
  }
}

async function askPacked(
  samples: SamplingClient,
  { row, length, count, signal }: Asked,
  into: TopTokens,
): Promise<void> {
  const { ids, mask } = row;
  const tokens = Int32Array.from(ids.keys()).filter((token) => token >= 1 && token < length && mask?.[token] !== 0);
  const extension = { top: { count, positions: pack(tokens) } };
  const asked = { ...ONE_TOKEN, prompt: ids.subarray(0, length), promptLogprobs: true, extension, signal };
  const { wide, promptLogprobs } = await samples.sample(asked);
  const [words, logprobs] = [unpackInts(wide?.top?.ids ?? ""), unpackFloats(wide?.top?.logprobs ?? "")];
  if (words.length !== tokens.length * count || logprobs.length !== words.length) {
    throw noTop(count, words.length / tokens.length);
  }
  tokens.forEach((token, at) => {
    into.ids.set(words.subarray(at * count, (at + 1) * count), token * count);
    into.logprobs.set(logprobs.subarray(at * count, (at + 1) * count), token * count);
  });
  fillFromPrompt(into.own, row, promptLogprobs);
}

function noTop(asked: number, got: number): EngineError {
  return new EngineError(
    "missing-statistic",
    `The trainer gave ${got} of the ${asked} most likely tokens of a place. Ask for fewer, or choose a form of the sampled token.`,
  );
}

// More than one word at each token: which words are asked about at which tokens, packed for a server that can.

/** A row's candidates at the tokens of which something is asked. */
export interface WideRow {
  readonly count: number;
  readonly tokens: Int32Array;
  readonly ids: Int32Array;
  readonly slopes?: Float32Array;
}

/** Undefined where the row has no candidates, or nothing is asked of it. */
export function wideRow(
  { ids, candidates }: Pick<ScoreRow, "ids" | "candidates">,
  asked: (token: number) => boolean,
  slopes?: Float64Array,
): WideRow | undefined {
  if (candidates === undefined) return undefined;
  const { count } = candidates;
  const tokens = Int32Array.from(ids.keys()).filter((token) => token >= 1 && asked(token));
  if (tokens.length === 0) return undefined;
  const gather = <Values extends Int32Array | Float32Array>(from: ArrayLike<number>, into: Values): Values => {
    tokens.forEach((token, at) => {
      for (let one = 0; one < count; one += 1) into[at * count + one] = from[token * count + one] as number;
    });
    return into;
  };
  const size = tokens.length * count;
  return {
    count,
    tokens,
    ids: gather(candidates.ids, new Int32Array(size)),
    ...(slopes === undefined ? {} : { slopes: gather(slopes, new Float32Array(size)) }),
  };
}

/** In a datum a position counts targets, and the first target is the second token; in a prompt it counts tokens. */
export function packWide({ count, tokens, ids, slopes }: WideRow, place: "datum" | "prompt"): WireCandidates {
  const positions = place === "datum" ? tokens.map((token) => token - 1) : tokens;
  return {
    count,
    positions: pack(positions),
    ids: pack(ids),
    ...(slopes === undefined ? {} : { slopes: pack(slopes) }),
  };
}

/** The answers back to their tokens. */
function fillWide({ count, tokens }: Omit<WideRow, "ids">, logprobs: Float32Array, into: Float32Array): void {
  if (logprobs.length !== tokens.length * count) {
    throw new EngineError(
      "trainer-bad-response",
      `The trainer gave ${logprobs.length} log-probabilities of candidates where ${tokens.length * count} were asked for.`,
    );
  }
  tokens.forEach((token, at) => into.set(logprobs.subarray(at * count, (at + 1) * count), token * count));
}

/** Zeros of the right size, where the statistic is asked for. */
function emptyWide({ ids, candidates }: ScoreRow, asked: boolean): Pick<RowStatistics, "candidates"> {
  return asked ? { candidates: new Float32Array(ids.length * (candidates?.count ?? 0)) } : {};
}
