/**
 * GSPO: one ratio for a whole response, the geometric mean of its tokens' ratios.
 *
 *   s = exp(mean over the row of (new - old));  L_t = max(-A s_t, -A clip(s_t, 1 - low, 1 + high))
 *   log s_t = min(stopped(mean) + new_t - stopped(new_t), 10)
 *
 * In value s_t = s; the token form gives every token its own gradient -A s.
 */
import { rowMeanOptions } from "./aggregation.ts";
import { clip, clipOptions } from "./ratio.ts";
import { policyLossOptions, tokenObjective } from "./token-objective.ts";
import { defineObjective } from "./objective.ts";

const MOST_LOG_RATIO = 10;

export const gspo = defineObjective({
  id: "gspo",
  info: {
    title: "Group sequence policy optimisation (GSPO)",
    paper: "arXiv 2507.18071",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_policy_loss_gspo",
    formula: [
      "s = exp(min(mean(new - old), 10)); L = max(-A s, -A clip(s, 1 - clipLow, 1 + clipHigh)), mean over tokens of a row, then over rows",
    ],
    meaning: "Clips whole responses by their length-normalised ratio instead of single tokens.",
    departures: [
      "The clips of 0.0003 and 0.0004 are those of the published scripts; the published configuration has 0.2.",
      "A row is a token stream: a whole episode with one growing conversation, one answer with prompts made anew. The ratio is that of the row's trained tokens.",
    ],
  },
  policyLoss: true,
  ratios: { miniBatches: 4, learningRate: 1e-4 },
  options: {
    ...policyLossOptions,
    aggregation: { ...rowMeanOptions.aggregation, choices: ["seq-mean-token-mean"] },
    clipLow: { ...clipOptions.clipLow, default: 3e-4 },
    clipHigh: { ...clipOptions.clipHigh, default: 4e-4 },
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (options, own) =>
    tokenObjective({
      ...own,
      metrics: ["clipFraction", "approximateKl"],
      row: ({ live, frozen, trained, fields: { advantages, oldLogprobs } }, out) => {
        let sum = 0;
        for (const token of trained) sum += (frozen[token] as number) - (oldLogprobs[token] as number);
        const mean = sum / trained.length;
        return (token) => {
          const advantage = advantages[token] as number;
          const logRatio = mean + (live[token] as number) - (frozen[token] as number);
          const ratio = Math.exp(Math.min(logRatio, MOST_LOG_RATIO));
          const free = -advantage * ratio;
          const bounded = -advantage * clip(ratio, 1 - options.clipLow, 1 + options.clipHigh);
          out.value = Math.max(free, bounded);
          out.slope = bounded > free || logRatio > MOST_LOG_RATIO ? 0 : free;
          out.counts[0] = (out.counts[0] as number) + Number(bounded > free);
          out.counts[1] = (out.counts[1] as number) - mean;
        };
      },
    }),
});
