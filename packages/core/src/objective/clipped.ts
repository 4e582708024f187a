/**
 * The clipped policy loss (PPO), with dual clip and an upper clip of its own (clip-higher).
 *
 *   r = exp(clip(new - old, -20, 20))
 *   L = max(-A r, -A clip(r, 1 - low, 1 + high));  where A < 0: L = min(L, -A c)
 *
 * Clip-higher (DAPO) is `clipHigh` 0.28.
 */
import { option } from "limbeck-base/base/option";
import { clip, clipOptions, heldDifference, ratioOf, ratioSlope } from "./ratio.ts";
import { policyLossOptions, tokenObjective } from "./token-objective.ts";
import { defineObjective, TWO_STEPS } from "./objective.ts";

export const clipped = defineObjective({
  id: "clipped",
  info: {
    title: "Clipped policy loss (PPO, dual clip, clip-higher)",
    paper: "arXiv 1707.06347; dual clip arXiv 1912.09729; clip-higher arXiv 2503.14476",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_policy_loss_vanilla, agg_loss",
    formula: ["L = max(-A r, -A clip(r, 1 - clipLow, 1 + clipHigh)); where A < 0: L = min(L, -A dualClip)"],
    meaning: "Moves probability along the advantage until the ratio to the old policy leaves the clip range.",
    departures: [
      "The log-ratio is held within 20, as public code does and the paper does not say.",
      "seq-mean-token-sum-norm divides by the padded length of the response in published code; here by the longest stretch of a row from first to last trained token. Option normaliser sets a constant (loss_scale_factor there).",
      "Token weights of a row, where there are any, multiply its losses; published code has those of the rollout correction alone.",
      "Where a row carries clipScales (A2TGPO) its clip range is that many times as wide.",
    ],
  },
  policyLoss: true,
  ratios: TWO_STEPS,
  options: {
    ...policyLossOptions,
    ...clipOptions,
    dualClip: option.limit(3, "bound of the loss of a token with negative advantage, in units of -A", { above: 1 }),
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: ({ clipLow, clipHigh, dualClip }, own) =>
    tokenObjective({
      ...own,
      metrics: ["clipFraction", "lowerClipFraction", "approximateKl"],
      row:
        ({ live, fields: { advantages, oldLogprobs }, clipScales }, out) =>
        (token) => {
          const advantage = advantages[token] as number;
          const range = clipScales?.[token] ?? 1;
          const difference = (live[token] as number) - (oldLogprobs[token] as number);
          const ratio = ratioOf(difference);
          const free = -advantage * ratio;
          const bounded = -advantage * clip(ratio, 1 - range * clipLow, 1 + range * clipHigh);
          const isClipped = bounded > free;
          out.value = Math.max(free, bounded);
          out.slope = isClipped ? 0 : -advantage * ratioSlope(difference);
          const isDual = dualClip !== null && advantage < 0 && out.value > -advantage * dualClip;
          if (isDual) {
            out.value = -advantage * dualClip;
            out.slope = 0;
          }
          count(out.counts, isClipped, isDual, -heldDifference(difference));
        },
    }),
});

function count(counts: Float64Array, isClipped: boolean, isDual: boolean, divergence: number): void {
  counts[0] = (counts[0] as number) + Number(isClipped);
  counts[1] = (counts[1] as number) + Number(isDual);
  counts[2] = (counts[2] as number) + divergence;
}
