/**
 * GSPO: one ratio for a whole response, the geometric mean of its tokens' ratios.
 *
 *   s = exp(mean over the row of (new - old));  L_t = max(-A s_t, -A clip(s_t, 1 - low, 1 + high))
 *   log s_t = min(stopped(mean) + new_t - stopped(new_t), 10)
 *
 * In value s_t = s; the token form gives every token its own gradient -A s (methods.md 2.10).
 */
import type { AggregationOptions } from "./aggregation.ts";
import { checkClips, clip, type ClipOptions } from "./ratio.ts";
import { POLICY_LOSS_DEFAULTS, tokenObjective, type PolicyLossOptions } from "./token-objective.ts";
import { badOption, withDefaults, type ObjectiveMethod } from "./train.ts";

export interface GspoOptions extends PolicyLossOptions, ClipOptions {
  /** The method is defined with this one only. */
  readonly aggregation: Extract<AggregationOptions["aggregation"], "seq-mean-token-mean">;
}

const ID = "gspo";
const MOST_LOG_RATIO = 10;
const DEFAULTS: GspoOptions = {
  ...POLICY_LOSS_DEFAULTS,
  aggregation: "seq-mean-token-mean",
  clipLow: 3e-4,
  clipHigh: 4e-4,
};

export const gspo: ObjectiveMethod<GspoOptions> = {
  info: {
    title: "Group sequence policy optimisation (GSPO)",
    paper: "arXiv 2507.18071",
    confidence: "code",
    formula: "s = exp(mean(new - old)); L = max(-A s, -A clip(s, 1 - clipLow, 1 + clipHigh)), mean over rows",
    meaning: "Clips whole responses by their length-normalised ratio instead of single tokens.",
    departures: ["A whole response is clipped by its own ratio even when its advantages differ from token to token."],
    defaults: { ...DEFAULTS },
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    checkClips(ID, options);
    if (options.aggregation !== "seq-mean-token-mean") {
      throw badOption(ID, "aggregation", options.aggregation, '"seq-mean-token-mean", the only one it is defined with');
    }
    return tokenObjective({
      id: ID,
      statistic: "logprob",
      fields: ["advantages", "oldLogprobs"],
      options,
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
    });
  },
};
