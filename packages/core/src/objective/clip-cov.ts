/**
 * Clip-Cov: a few tokens, drawn from those that would cost the policy most entropy, lose their gradient.
 *
 *   cov_t = (A_t - mean A) (log p_t - mean log p);  among unclipped tokens with low < cov < high a random share gets loss 0
 */
import { badOption } from "limbeck-base/base/options";
import { option } from "limbeck-base/base/option";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import { chosenCount, byRow, covariances, type TokenCovariance } from "./covariance.ts";
import { clip, clipOptions, ratioOf, ratioSlope } from "./ratio.ts";
import { policyLossOptions, tokenObjective, type RowView } from "./token-objective.ts";
import { defineObjective, TWO_STEPS } from "./objective.ts";

const table = {
  ...policyLossOptions,
  ...clipOptions,
  share: option.share(
    0.0002,
    "share of the batch's tokens whose loss is zeroed; at least one token where any is eligible",
  ),
  covarianceLow: option.number(1, "tokens above this covariance are eligible"),
  covarianceHigh: option.number(5, "tokens below this covariance are eligible"),
  seed: option.number(0, "which of the eligible tokens are drawn; give another each update"),
} as const satisfies DeepTable;

export const clipCov = defineObjective({
  id: "clip-cov",
  info: {
    title: "Clip-Cov (covariance clip)",
    paper: "The entropy mechanism of reinforcement learning for reasoning language models, arXiv 2505.22617",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_policy_loss_clip_cov",
    formula: [
      "L = max(-A r, -A clip(r, 1 - clipLow, 1 + clipHigh)); 0 for a drawn share of the tokens whose covariance lies in (covarianceLow, covarianceHigh)",
    ],
    meaning: "Keeps entropy up by silencing a few tokens that are both likely and rewarded.",
    departures: [
      "The draw is by a hash of seed and covariance instead of a generator's next number, so that the order of rows does not matter (equal covariances aside); a training gives the same seed in every update, the recipe SPEAR another in each.",
      "Published code takes means and draws within each micro-batch, at least one token in each; here within the batch of a step.",
      "Here the log-ratio is held within 20; published code has no such bound in this loss. Its clip fraction is that of the drawn tokens (covarianceClipFraction here); here clipFraction counts those that the ratio clips.",
      "Published scripts have clips of 1 below and above; here 0.2, the published configuration's default. SPEAR uses share 0.02 and bounds 1 to 40.",
    ],
  },
  policyLoss: true,
  ratios: TWO_STEPS,
  options: table,
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (options, own) => {
    const { clipLow, clipHigh, covarianceLow: low, covarianceHigh: high } = options;
    if (!(low < high)) throw badOption(own.id, "covarianceLow", low, `below covarianceHigh (${high})`);
    return tokenObjective({
      ...own,
      metrics: ["clipFraction", "covarianceClipFraction", "approximateKl"],
      prepare: (views: readonly RowView<"advantages" | "oldLogprobs">[]) => drawn(views, options),
      row: ({ at, live, fields: { advantages, oldLogprobs } }, out, chosen) => {
        const silent = chosen.get(at);
        return (token) => {
          const advantage = advantages[token] as number;
          const difference = (live[token] as number) - (oldLogprobs[token] as number);
          const ratio = ratioOf(difference);
          const free = -advantage * ratio;
          const bounded = -advantage * clip(ratio, 1 - clipLow, 1 + clipHigh);
          const isSilent = silent?.has(token) === true;
          out.value = isSilent ? 0 : Math.max(free, bounded);
          out.slope = isSilent || bounded > free ? 0 : -advantage * ratioSlope(difference);
          out.counts[0] = (out.counts[0] as number) + Number(bounded > free);
          out.counts[1] = (out.counts[1] as number) + Number(isSilent);
          out.counts[2] = (out.counts[2] as number) - difference;
        };
      },
    });
  },
});

/** Tokens that lose their loss, by row. Those that the ratio clips already are not eligible. */
function drawn(views: readonly RowView<"advantages" | "oldLogprobs">[], options: OptionValues<typeof table>) {
  const { clipLow, clipHigh, covarianceLow, covarianceHigh, seed, share } = options;
  const byIndex = new Map(views.map((view) => [view.at, view]));
  const isFree = ({ row, token }: TokenCovariance): boolean => {
    const { frozen, fields } = byIndex.get(row) as RowView<"advantages" | "oldLogprobs">;
    const advantage = fields.advantages[token] as number;
    const ratio = ratioOf((frozen[token] as number) - (fields.oldLogprobs[token] as number));
    return !(-advantage * clip(ratio, 1 - clipLow, 1 + clipHigh) > -advantage * ratio);
  };
  const all = covariances(views);
  const eligible = all.filter(
    (one) => one.covariance > covarianceLow && one.covariance < covarianceHigh && isFree(one),
  );
  const keyed = eligible.map((one) => ({ one, key: scatter(one.covariance, seed) }));
  keyed.sort((left, right) => left.key - right.key);
  return byRow(share === 0 ? [] : keyed.slice(0, chosenCount(all.length, share)).map(({ one }) => one));
}

/** A number in [0, 1) that looks random: the fraction of a large sine. */
function scatter(covariance: number, seed: number): number {
  const wave = Math.sin(covariance * 12.9898 + seed * 78.233) * 43758.5453;
  return wave - Math.floor(wave);
}
