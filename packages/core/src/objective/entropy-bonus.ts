/**
 * Entropy bonus: L = -H, the entropy of the policy at each trained token.
 *
 * The coefficient is the weight it is combined with; 0 is the usual default, so it is combined only when wanted.
 */
import { aggregationOptions } from "./aggregation.ts";
import { tokenObjective } from "./token-objective.ts";
import { defineObjective } from "./objective.ts";

export const entropyBonus = defineObjective({
  id: "entropy-bonus",
  info: {
    title: "Entropy bonus",
    paper: "Williams and Peng 1991",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_entropy_loss",
    formula: ["L = -H(p)"],
    meaning: "Keeps the policy from becoming certain too early.",
    departures: [
      "The published function gives H and the worker subtracts it times a coefficient, 0 by default; here the loss is -H and a training weighs it by entropyWeight, 0 by default.",
      "Token weights of a row, where there are any (recipes pw-opsd and r3l), multiply its entropies too; published code has none.",
    ],
  },
  policyLoss: false,
  options: aggregationOptions,
  needs: ["entropy"],
  rowFields: [],
  create: (_options, own) =>
    tokenObjective({
      ...own,
      metrics: ["entropy"],
      constantWeights: true,
      row:
        ({ live }, out) =>
        (token) => {
          out.value = -(live[token] as number);
          out.slope = -1;
          out.counts[0] = (out.counts[0] as number) + (live[token] as number);
        },
    }),
});
