/** REINFORCE++: token returns, whitened over the batch. No groups. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { defineCredit, type IndexedBatch, type Term } from "./credit.ts";
import { answers } from "./examples.ts";
import { tokenRewards } from "./scores.ts";
import { gamma, invalidPenalty } from "./shared-options.ts";
import { rewardsToGo } from "./tokens.ts";
import { whitenedTerms } from "./whiten.ts";

export const tooFewTokens = option.choice(
  "error",
  ["error", "centre"],
  "fewer than two trained tokens have no variance: refuse, or only centre",
);

export const reinforcePlusPlus = defineCredit({
  info: {
    title: "REINFORCE++",
    paper: "REINFORCE++, arXiv 2501.03262",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_reinforce_plus_plus_outcome_advantage",
    formula: [
      "G_t = r_t + gamma * G_(t+1)",
      "A = (G - mean(G)) / sqrt(var(G) + 1e-8)   over all trained tokens of the batch",
    ],
    meaning: "Discounted token returns, normalised over the whole batch instead of over groups.",
    departures: [
      "Published code sets the carry to 0 at every masked token, so in a conversation of one row the reward does not reach turns before a tool's output; they are whitened with the rest (all answers right, two turns of equal length: -1 and 1). Option resetAtMask=false lets it pass.",
      "Here rows are steps, each with the outcome on its own last token: every turn is paid (in that example 0 and 0), and gamma discounts within the step only.",
      "Published scripts take 0.001 times the divergence from the start (k1) from token rewards before this; here a training takes nothing; it can be given as tokenRewards.",
    ],
  },
  options: {
    gamma: gamma(1, "token returns"),
    resetAtMask: option.flag(true, "a masked token stops the return, as in published code"),
    tooFewTokens,
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: false, scale: "same", zeroSum: false },
  example: {
    about: "Two answers of 2 and 3 tokens, the first one right.",
    batch: answers([1, 0], [{ mask: [1, 1] }, { mask: [1, 1, 1] }]),
    options: { gamma: 0.9 },
  },
  compute: (batch, options) => {
    const returns = rewardsToGo(batch, tokenRewards(batch, options.invalidPenalty), options);
    return { terms: batchWhitened(batch, "return", returns, options.tooFewTokens), returns };
  },
});

/** Whitened over the batch, or the documented way out where there is nothing to whiten by. */
export function batchWhitened(
  batch: IndexedBatch,
  name: string,
  values: readonly Float64Array[],
  whenTooFew: string,
): Readonly<Record<string, Term>> {
  if (batch.index.totalTokens !== 1) return whitenedTerms(batch, name, { perToken: values });
  if (whenTooFew === "error") {
    throw new EngineError(
      "too-few-tokens",
      "The batch has 1 trained token; whitening needs at least 2. Give more rows, or set tooFewTokens=centre.",
    );
  }
  // Centred, a single value is 0.
  return { [name]: { weight: 0, perToken: values } };
}
