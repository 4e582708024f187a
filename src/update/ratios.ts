/**
 * How far the policy stands from the one that said the tokens: by their versions before it learns, and by the ratios of
 * their probabilities while it does.
 */
import type { Objective, TrainRow } from "../policy/objective.ts";

/** Below this no ratio has left 1. Single precision alone makes 4e-7 with the bundled models, one step of learning 1e-2. */
export const LEAST_SPREAD = 1e-5;

/** Trained tokens, and how many of them another version than this one said. */
export function countStale(
  rows: readonly TrainRow[],
  version: number | undefined,
): { readonly trained: number; readonly stale: number } {
  let [trained, stale] = [0, 0];
  for (const { mask, versions } of rows) {
    for (let token = 0; token < mask.length; token += 1) {
      if (mask[token] !== 1) continue;
      trained += 1;
      if (version !== undefined && versions !== undefined && versions[token] !== version) stale += 1;
    }
  }
  return { trained, stale };
}

/** The same objective; it also measures the ratios that its learner meets. */
export function watchRatios(objective: Objective): Objective {
  if (!objective.needs.includes("logprob")) return objective;
  return {
    ...objective,
    compute: (live, frozen, rows) => {
      const result = objective.compute(live, frozen, rows);
      return { ...result, metrics: { ...result.metrics, ratioSpread: spreadOf(live.logprob ?? [], rows) } };
    },
  };
}

/** Root of the mean squared log-ratio over the trained tokens whose old log-probabilities are known. */
function spreadOf(logprobs: readonly Float64Array[], rows: readonly TrainRow[]): number {
  let [squares, tokens] = [0, 0];
  for (const [at, { mask, oldLogprobs }] of rows.entries()) {
    if (oldLogprobs === undefined) continue;
    for (let token = 1; token < mask.length; token += 1) {
      if (mask[token] !== 1) continue;
      squares += ((logprobs[at]?.[token] ?? 0) - (oldLogprobs[token] ?? 0)) ** 2;
      tokens += 1;
    }
  }
  return tokens === 0 ? 0 : Math.sqrt(squares / tokens);
}
