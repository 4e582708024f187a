/**
 * Generalised advantage estimation with a value head, whitened over the batch.
 *
 *   delta_t = r_t + gamma * V_(t+1) - V_t      A_t = delta_t + gamma * lambda * A_(t+1)
 */
import { option } from "../base/index.ts";
import { defineCredit, type IndexedBatch, type Term } from "./credit.ts";
import { answers } from "./examples.ts";
import { tokenRewards } from "./scores.ts";
import { gamma, invalidPenalty } from "./shared-options.ts";
import { tokenArrays } from "./token-arrays.ts";
import { whitenedTerms, whitening } from "./whiten.ts";

export const lambda = option.number(1, "how far advantages look ahead", { least: 0, most: 1 });

export const whiten = option.flag(true, "normalise over the trained tokens of the batch");

export const gae = defineCredit({
  info: {
    title: "GAE",
    paper: "High-dimensional continuous control using generalized advantage estimation, arXiv 1506.02438",
    confidence: "code",
    formula: [
      "delta_t = r_t + gamma * V_(t+1) - V_t",
      "A_t = delta_t + gamma * lambda * A_(t+1),   masked tokens skipped",
      "return_t = A_t + V_t;   then A is whitened over the batch",
    ],
    meaning: "Advantages of a critic: how much better each token turned out than its value said.",
    departures: [
      "lambda is 1 here, as language-model code has it; control tasks use 0.95.",
      "A batch with one trained token cannot be whitened and comes back as it is.",
      "bootstrapTruncated begins a cut-off row with the value of its last token instead of 0; published code does not.",
    ],
  },
  needs: ["values"],
  mayNeed: { truncation: "with bootstrapTruncated" },
  options: {
    gamma: gamma(1, "token returns"),
    lambda,
    whiten,
    bootstrapTruncated: option.flag(false, "a cut-off row goes on at the value of its last token"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: false, scale: "same", zeroSum: false },
  example: {
    about: "Three tokens, the outcome 1 on the last, and what the critic said.",
    batch: answers([1], [{ mask: [1, 1, 1], values: [0.5, 0.6, 0.8] }]),
    options: { lambda: 0.95 },
  },
  compute: (batch, options) => {
    const rewards = tokenRewards(batch, options.invalidPenalty);
    const advantages = tokenArrays(batch.rows);
    const returns = tokenArrays(batch.rows);
    for (const [at, { mask, values, truncated }] of batch.rows.entries()) {
      const reward = rewards[at] as Float64Array;
      const target = advantages[at] as Float64Array;
      const last = mask.lastIndexOf(1);
      let nextValue = options.bootstrapTruncated && truncated === true && last >= 0 ? (values[last] as number) : 0;
      let carry = 0;
      for (let token = last; token >= 0; token -= 1) {
        if (mask[token] === 0) continue;
        const value = values[token] as number;
        carry = (reward[token] as number) + options.gamma * nextValue - value + options.gamma * options.lambda * carry;
        nextValue = value;
        target[token] = carry;
        (returns[at] as Float64Array)[token] = carry + value;
      }
    }
    return { terms: maybeWhitened(batch, advantages, options.whiten), returns };
  },
});

/** One trained token has no variance; it comes back unwhitened. */
export function maybeWhitened(
  batch: IndexedBatch,
  advantages: readonly Float64Array[],
  wanted: boolean,
): Readonly<Record<string, Term>> {
  const found = wanted ? whitening(batch, advantages) : undefined;
  return found === undefined
    ? { critic: { weight: 1, perToken: advantages } }
    : whitenedTerms("critic", advantages, found);
}
