/**
 * SAPO: a smooth gate instead of a clip.
 *
 * At r = 1 the gate's slope is 1, so on-policy gradients are those of the plain policy gradient.
 */
import { option } from "limbeck-base/base/option";
import { rowMeanOptions } from "./aggregation.ts";
import { heldDifference, ratioOf, ratioSlope } from "./ratio.ts";
import { policyLossOptions, tokenObjective } from "./token-objective.ts";
import { defineObjective, TWO_STEPS } from "./objective.ts";

export const sapo = defineObjective({
  id: "sapo",
  info: {
    title: "Soft adaptive policy optimisation (SAPO)",
    paper: "arXiv 2511.20347",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_policy_loss_sapo",
    formula: [
      "L = -A (4 / tau) sigmoid(tau (r - 1)); tau 1.0 for A > 0, 1.05 otherwise; mean over rows of each row's mean",
    ],
    meaning: "Lets the pull of a token fade smoothly as its ratio leaves 1, faster for negative advantages.",
    departures: [],
  },
  policyLoss: true,
  ratios: TWO_STEPS,
  options: {
    ...policyLossOptions,
    aggregation: { ...rowMeanOptions.aggregation, choices: ["seq-mean-token-mean"] },
    tauPositive: option.number(1, "steepness of the gate where A > 0", { above: 0 }),
    tauNegative: option.number(1.05, "steepness of the gate elsewhere", { above: 0 }),
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (options, own) =>
    tokenObjective({
      ...own,
      metrics: ["approximateKl"],
      row:
        ({ live, fields: { advantages, oldLogprobs } }, out) =>
        (token) => {
          const advantage = advantages[token] as number;
          const difference = (live[token] as number) - (oldLogprobs[token] as number);
          const tau = advantage > 0 ? options.tauPositive : options.tauNegative;
          const open = 1 / (1 + Math.exp(-tau * (ratioOf(difference) - 1)));
          out.value = (-advantage * 4 * open) / tau;
          out.slope = -advantage * 4 * open * (1 - open) * ratioSlope(difference);
          out.counts[0] = (out.counts[0] as number) - heldDifference(difference);
        },
    }),
});
