/** Statistics of given tokens from a trainer: log-probabilities, and where it can those of candidates beside them. */
import { EngineError, mapLimit } from "../../base/index.ts";
import { checkRowTokens, refuseRow } from "../local/scorer.ts";
import type { StatisticName } from "../objective.ts";
import type { RowStatistics, ScoreOptions, Scorer, ScoreRow } from "../policy.ts";
import { datumOf, neededTokens } from "./datum.ts";
import { unpackFloats } from "./packed.ts";
import type { SamplingClient } from "./sampling-client.ts";
import type { TrainingClient } from "./training-client.ts";
import { emptyWide, fillWide, packWide, wideRow, type WideRow } from "./wide.ts";
import { notFinite, type Datum } from "./wire.ts";

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
export const ONE_TOKEN = { params: { max_tokens: 1, temperature: 0, seed: 0 } } as const;

/** How much of a row is sent, so that the context has room for that token. */
export function askedLength({ ids, mask }: ScoreRow, { contextLength }: RowLimits): number {
  return neededTokens(Math.min(ids.length, contextLength - 1), (token) => mask?.[token] !== 0);
}

/** What a server says of the tokens of a prompt; where something is asked it must be a number. */
export function fillFromPrompt(
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
