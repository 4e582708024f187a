/**
 * CISPO: the clipped ratio is a constant weight, so that no token loses its gradient.
 *
 * The ratio is read from `frozen`, the log-probability from `live`.
 */
import { clip, clipOptions, heldDifference, ratioOf } from "./ratio.ts";
import { policyLossOptions, tokenObjective } from "./token-objective.ts";
import { defineObjective, TWO_STEPS } from "./objective.ts";

export const cispo = defineObjective({
  id: "cispo",
  info: {
    title: "Clipped importance-sampling weights (CISPO)",
    paper: "arXiv 2506.13585",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_policy_loss_cispo",
    formula: ["L = -stopped(clip(r, 1 - clipLow, 1 + clipHigh)) A log p"],
    meaning: "Clips the importance weight instead of the update, so that every token keeps a gradient.",
    departures: [
      "Clips of 0.2 on both sides are the published configuration's default. Its script for the method has 10 below, which leaves the lower side open as the paper does, and 0.2 above; here 0.2 on both. Option clipLow.",
    ],
  },
  policyLoss: true,
  ratios: TWO_STEPS,
  options: { ...policyLossOptions, ...clipOptions },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (options, own) =>
    tokenObjective({
      ...own,
      metrics: ["clipFraction", "approximateKl"],
      row:
        ({ live, frozen, fields: { advantages, oldLogprobs } }, out) =>
        (token) => {
          const difference = (frozen[token] as number) - (oldLogprobs[token] as number);
          const ratio = ratioOf(difference);
          const weight = clip(ratio, 1 - options.clipLow, 1 + options.clipHigh);
          out.slope = -weight * (advantages[token] as number);
          out.value = out.slope * (live[token] as number);
          out.counts[0] = (out.counts[0] as number) + Number(weight !== ratio);
          out.counts[1] = (out.counts[1] as number) - heldDifference(difference);
        },
    }),
});
