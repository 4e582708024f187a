/**
 * Co-GRPO's joint term: a step's choice of schedule and the tokens it produced are one action with one ratio.
 *
 * For policies that choose how they decode (how many tokens to fill in, where to stop): a row is one decoding step and
 * begins with the tokens of that choice.
 */
import { option } from "limbeck-base/base/option";
import { countsOption, rowMean } from "./aggregation.ts";
import { clip, clipOptions, MOST_LOG_RATIO } from "./ratio.ts";
import { refuseTokenWeights } from "./row-fields.ts";
import { tokenObjective } from "./token-objective.ts";
import { defineObjective, TWO_STEPS } from "./objective.ts";

export const coGrpo = defineObjective({
  id: "co-grpo",
  info: {
    title: "Joint schedule term (Co-GRPO)",
    paper: "Co-GRPO: Co-Optimized Group Relative Policy Optimization for Masked Diffusion Model",
    confidence: "inferred",
    formula: [
      "log rho = scheduleWeight * sum(new - old over schedule tokens) + sum(new - old over the rest); L = max(-A rho, -A clip(rho, 1 - clipLow, 1 + clipHigh)), mean over rows",
    ],
    meaning: "Trains a decoding schedule together with what it decodes, under one shared advantage.",
    departures: [
      "Only the abstract was read. It is about masked diffusion; here it applies where the schedule is part of the policy's own tokens.",
      "One clip for the joint action is ours; the abstract says only that both log-probabilities are weighed by the advantage.",
    ],
  },
  policyLoss: true,
  ratios: TWO_STEPS,
  options: {
    ...clipOptions,
    scheduleTokens: option.count(1, "trained tokens at the beginning of a row that say how the step is decoded", 0),
    scheduleWeight: option.number(1, "weight of these tokens in the joint log-ratio", { least: 0 }),
    ...countsOption,
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (options, own) => {
    const { clipLow, clipHigh, scheduleTokens, scheduleWeight } = options;
    return tokenObjective({
      ...own,
      options: rowMean(options),
      metrics: ["clipFraction"],
      includes: (row, at) => refuseTokenWeights(own.id, row, at),
      row: ({ live, trained, fields: { advantages, oldLogprobs } }, out) => {
        let [sum, advantage] = [0, 0];
        const weights = new Map<number, number>();
        for (const [place, token] of trained.entries()) {
          const weight = place < scheduleTokens ? scheduleWeight : 1;
          weights.set(token, weight);
          sum += weight * ((live[token] as number) - (oldLogprobs[token] as number));
          advantage += (advantages[token] as number) / trained.length;
        }
        const free = -advantage * Math.exp(clip(sum, -MOST_LOG_RATIO, MOST_LOG_RATIO));
        const bounded =
          -advantage * clip(Math.exp(clip(sum, -MOST_LOG_RATIO, MOST_LOG_RATIO)), 1 - clipLow, 1 + clipHigh);
        const slope = bounded > free || Math.abs(sum) > MOST_LOG_RATIO ? 0 : free * trained.length;
        return (token) => {
          // The row's loss stands at every token, and the mean over tokens gives it back.
          out.value = Math.max(free, bounded);
          out.slope = slope * (weights.get(token) as number);
          out.counts[0] = (out.counts[0] as number) + Number(bounded > free);
        };
      },
    });
  },
});
