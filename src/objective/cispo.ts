/**
 * CISPO: the clipped ratio is a constant weight, so that no token loses its gradient.
 *
 *   L = -stopped(clip(r, 1 - low, 1 + high)) A log p
 *
 * methods.md 2.10. The ratio is read from `frozen`, the log-probability from `live`.
 */
import { checkClips, clip, ratioOf, type ClipOptions } from "./ratio.ts";
import { POLICY_LOSS_DEFAULTS, tokenObjective, type PolicyLossOptions } from "./token-objective.ts";
import { withDefaults, type ObjectiveMethod } from "./train.ts";

export type CispoOptions = PolicyLossOptions & ClipOptions;

const ID = "cispo";
const DEFAULTS: CispoOptions = { ...POLICY_LOSS_DEFAULTS, clipLow: 0.2, clipHigh: 0.2 };

export const cispo: ObjectiveMethod<CispoOptions> = {
  info: {
    title: "Clipped importance-sampling weights (CISPO)",
    paper: "arXiv 2506.13585",
    confidence: "code",
    formula: "L = -stopped(clip(r, 1 - clipLow, 1 + clipHigh)) A log p",
    meaning: "Clips the importance weight instead of the update, so that every token keeps a gradient.",
    departures: ["Clips of 0.2 on both sides, as public code has them; the paper leaves the lower side open."],
    defaults: { ...DEFAULTS },
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    checkClips(ID, options);
    return tokenObjective({
      id: ID,
      statistic: "logprob",
      fields: ["advantages", "oldLogprobs"],
      options,
      metrics: ["clipFraction", "approximateKl"],
      row: ({ live, frozen, fields: { advantages, oldLogprobs } }, out) => {
        return (token) => {
          const difference = (frozen[token] as number) - (oldLogprobs[token] as number);
          const ratio = ratioOf(difference);
          const weight = clip(ratio, 1 - options.clipLow, 1 + options.clipHigh);
          out.slope = -weight * (advantages[token] as number);
          out.value = out.slope * (live[token] as number);
          out.counts[0] = (out.counts[0] as number) + Number(weight !== ratio);
          out.counts[1] = (out.counts[1] as number) - difference;
        };
      },
    });
  },
};
