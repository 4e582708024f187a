/** Generalised advantage estimation with a value head, whitened over the batch. */
import { option } from "limbeck-base/base/option";
import { entry, real } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { tokenRewards } from "./scores.ts";
import { gamma, invalidPenalty, lambda } from "./shared-options.ts";
import { tokenArrays } from "./tokens.ts";
import { whiten, whitenedTerms } from "./whiten.ts";

export const gae = defineCredit({
  info: {
    title: "GAE",
    paper: "High-dimensional continuous control using generalized advantage estimation, arXiv 1506.02438",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_gae_advantage_return",
    formula: [
      "delta_t = r_t + gamma * V_(t+1) - V_t",
      "A_t = delta_t + gamma * lambda * A_(t+1),   masked tokens skipped",
      "return_t = A_t + V_t;   then A is whitened over the batch",
    ],
    meaning: "Advantages of a critic: how much better each token turned out than its value said.",
    departures: [
      "lambda is 1 here, as in the published configuration; control tasks use 0.95.",
      "Published code has one row for a conversation, so that values and carry pass from turn to turn; here each step row ends by itself and has the outcome on its own last token. With gamma and lambda 1 the advantages are the same.",
      "Published code refuses a batch with one trained token, which cannot be whitened; here it comes back as it is. Published code always whitens; here it is an option.",
      "Published scripts have one answer to a question; a training here has a group, which these advantages do not look at.",
      "bootstrapTruncated begins a cut-off row with the value of its last token instead of 0; published code does not.",
    ],
  },
  needs: ["values"],
  mayNeed: { truncation: "with bootstrapTruncated" },
  options: {
    gamma: gamma(1, "token returns"),
    lambda: lambda(1),
    whiten,
    bootstrapTruncated: option.flag(false, "a cut-off row goes on at the value of its last token"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
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
      const last = mask.lastIndexOf(1);
      const next = options.bootstrapTruncated && truncated === true && last >= 0 ? real(values, last) : 0;
      lookBack(
        { mask, values, rewards: entry(rewards, at), next, ...options },
        entry(advantages, at),
        entry(returns, at),
      );
    }
    return { terms: whitenedTerms(batch, "critic", { perToken: advantages }, options.whiten), returns };
  },
});

export interface LookBack {
  /** 1 where there is an advantage to estimate. */
  readonly mask: Uint8Array;
  readonly values: Float64Array;
  readonly rewards: Float64Array;
  /** Value behind the last token. Default: 0. */
  readonly next?: number;
  /** 1 for tokens behind which value and carry begin at 0 again. */
  readonly ends?: Uint8Array;
  readonly gamma: number;
  readonly lambda: number;
}

/** From the last token to the first: A_t = r_t + gamma * V_(t+1) - V_t + gamma * lambda * A_(t+1), and A_t + V_t. */
export function lookBack(given: LookBack, advantages: Float64Array, returns: Float64Array): void {
  const { mask, values, rewards, ends, gamma: discount, lambda: ahead } = given;
  let [next, carry] = [given.next ?? 0, 0];
  for (let token = mask.length - 1; token >= 0; token -= 1) {
    if (mask[token] === 0) continue;
    if (ends !== undefined && ends[token] === 1) [next, carry] = [0, 0];
    const value = real(values, token);
    carry = real(rewards, token) + discount * next - value + discount * ahead * carry;
    next = value;
    advantages[token] = carry;
    returns[token] = carry + value;
  }
}
