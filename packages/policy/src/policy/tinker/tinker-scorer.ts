/** Frozen weights on a trainer that only score: a base model, or weights that were saved to be sampled from. */
import type { Scorer } from "../policy.ts";
import { chooseModel, connectTinker, type TinkerClientOptions } from "./client.ts";
import { scoreByPrompt, topByPrompt, type RowLimits } from "./remote-scorer.ts";

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
    const { vocabularySize, contextLength } = options;
    const { concurrency, profile } = client;
    const limits = { vocabularySize, contextLength, concurrency, candidates: profile.candidates };
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
