/** Log-probabilities of given tokens from a trainer. It has no other statistic. */
import { EngineError, mapLimit, type EngineErrorCode } from "../../base/index.ts";
import type { StatisticName } from "../objective.ts";
import type { RowStatistics, ScoreOptions, Scorer, ScoreRow } from "../policy.ts";
import { datumOf, neededTokens } from "./datum.ts";
import type { SamplingClient } from "./sampling-client.ts";
import type { TrainingClient } from "./training-client.ts";
import { notFinite } from "./wire.ts";

export const REMOTE_STATISTICS: readonly StatisticName[] = ["logprob"];

export interface RowLimits {
  readonly vocabularySize: number;
  readonly contextLength: number;
}

/** By the weights that learn. */
export function scoreByForward(training: () => TrainingClient, limits: RowLimits): Scorer {
  return {
    statistics: REMOTE_STATISTICS,
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
  { signal, report }: ScoreOptions = {},
): Promise<RowStatistics[]> {
  const results = rows.map(({ ids }) => ({ logprob: new Float32Array(ids.length) }));
  const sent = rows.flatMap(({ ids, mask }, row) => {
    const length = neededTokens(ids.length, (token) => mask?.[token] !== 0);
    return length === 0 ? [] : [{ row, datum: datumOf(ids, length, { weights: new Uint8Array(length).fill(1) }) }];
  });
  if (sent.length > 0) {
    const { logprobs } = await training.forward(
      sent.map(({ datum }) => datum),
      { signal },
    );
    sent.forEach(({ row }, at) => fill(results[row]?.logprob, rows[row], logprobs[at] ?? []));
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
    statistics: REMOTE_STATISTICS,
    score: async (rows, options = {}) => {
      checkRows(rows, limits, options);
      const frozen = await client(options.signal);
      const one = async (row: ScoreRow, _: number, signal: AbortSignal): Promise<RowStatistics> => {
        const logprob = new Float32Array(row.ids.length);
        // The protocol always says one more token, for which the context must have room.
        const most = Math.min(row.ids.length, limits.contextLength - 1);
        const length = neededTokens(most, (token) => row.mask?.[token] !== 0);
        if (length === 0) return { logprob };
        const params = { max_tokens: 1, temperature: 0, seed: 0 };
        const prompt = row.ids.subarray(0, length);
        const { promptLogprobs = [] } = await frozen.sample({ prompt, params, promptLogprobs: true, signal });
        const odd = promptLogprobs.findIndex((value, at) => at > 0 && value === null && row.mask?.[at] !== 0);
        if (odd >= 0) throw notFinite("asample", `prompt_logprobs.${odd}`);
        fill(
          logprob,
          row,
          promptLogprobs.slice(1).map((value) => value ?? 0),
        );
        return { logprob };
      };
      const { signal } = options;
      return await mapLimit(rows, limits.concurrency, one, signal === undefined ? {} : { signal });
    },
  };
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
  const missing = statistics.filter((name) => !REMOTE_STATISTICS.includes(name));
  if (missing.length > 0) {
    throw new EngineError(
      "missing-statistic",
      `A trainer gives log-probabilities only; "${missing.join('", "')}" needs a model in this process.`,
    );
  }
  rows.forEach(({ ids, mask }, at) => {
    const fail = (code: EngineErrorCode, message: string): never => {
      throw new EngineError(code, `Row ${at}: ${message}`, { details: { row: at } });
    };
    if (ids.length === 0) fail("empty-prompt", "it has no tokens; give at least one.");
    if (ids.length > limits.contextLength) {
      fail("past-context", `it has ${ids.length} tokens; the model's context is ${limits.contextLength}.`);
    }
    const wrong = ids.findIndex((id) => id < 0 || id >= limits.vocabularySize);
    if (wrong >= 0) {
      fail("bad-token", `token ${ids[wrong]} at place ${wrong} is not in the vocabulary of ${limits.vocabularySize}.`);
    }
    if (mask !== undefined && mask.length !== ids.length) {
      fail("bad-mask", `its mask has ${mask.length} entries for ${ids.length} tokens; give one for each token.`);
    }
  });
}
