/** Frozen weights on a trainer that only score: a base model, or weights that were saved to be sampled from. */
import { EngineError, mapLimit } from "../../base/index.ts";
import { emptyTop } from "../local/scorer.ts";
import type { Scorer, ScoreRow, TopTokens, TopTokensOptions } from "../policy.ts";
import { connectTinker, type TinkerClientOptions } from "./client.ts";
import { neededTokens } from "./datum.ts";
import { checkRows, scoreByPrompt, type RowLimits } from "./remote-scorer.ts";
import type { SamplingClient } from "./sampling-client.ts";
import { chooseModel } from "./server-profile.ts";

export interface TinkerScorerOptions extends TinkerClientOptions, RowLimits {
  /** Which of the server's base models. Default: the only one. */
  readonly baseModel?: string | undefined;
  /** Saved weights in the place of a base model. */
  readonly path?: string | undefined;
}

export async function openTinkerScorer(
  options: TinkerScorerOptions,
): Promise<Scorer & { readonly close: () => Promise<void> }> {
  const client = await connectTinker(options);
  try {
    const { path, signal } = options;
    const source =
      path === undefined
        ? { baseModel: chooseModel(client.profile, options.baseModel, client.http.address) }
        : { path };
    const samples = await client.openSamples(source, signal);
    const { vocabularySize, contextLength, concurrency = 64 } = options;
    const limits = { vocabularySize, contextLength, concurrency };
    return {
      ...scoreByPrompt(() => Promise.resolve(samples), limits),
      topTokens: (rows, wanted) => topByPrompt(samples, limits, rows, wanted),
      close: () => {
        client.close();
        return Promise.resolve();
      },
    };
  } catch (error) {
    client.close();
    throw error;
  }
}

/** The most likely tokens at every asked place; servers that lack them say so or leave them out. */
async function topByPrompt(
  samples: SamplingClient,
  limits: RowLimits & { readonly concurrency: number },
  rows: readonly ScoreRow[],
  { count, signal: outer }: TopTokensOptions,
): Promise<TopTokens[]> {
  checkRows(rows, limits, {});
  const results = emptyTop(rows, count);
  const one = async ({ ids, mask }: ScoreRow, at: number, signal: AbortSignal): Promise<void> => {
    const length = neededTokens(Math.min(ids.length, limits.contextLength - 1), (token) => mask?.[token] !== 0);
    if (length === 0) return;
    const params = { max_tokens: 1, temperature: 0, seed: 0 };
    const { topK } = await samples.sample({ prompt: ids.subarray(0, length), params, topK: count, signal });
    // Some leave out the first token, which nothing predicts.
    const shift = length - (topK?.length ?? 0);
    for (let token = 1; token < length; token += 1) {
      if (mask?.[token] === 0) continue;
      const pairs = topK?.[token - shift];
      if (pairs?.length !== count || shift > 1) throw noTop(count, pairs?.length ?? 0);
      pairs.forEach(([id, logprob], place) => {
        const target = results[at] as TopTokens;
        target.ids[token * count + place] = id;
        target.logprobs[token * count + place] = logprob;
      });
    }
  };
  await mapLimit(rows, limits.concurrency, one, outer === undefined ? {} : { signal: outer });
  return results;
}

function noTop(asked: number, got: number): EngineError {
  return new EngineError(
    "missing-statistic",
    `The trainer gave ${got} of the ${asked} most likely tokens of a place. Ask for fewer, or choose a form of the sampled token.`,
  );
}
