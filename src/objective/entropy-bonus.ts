/**
 * Entropy bonus: L = -H, the entropy of the policy at each trained token (methods.md 2.14).
 *
 * The coefficient is the weight it is combined with; 0 is the usual default, so it is combined only when wanted.
 */
import { AGGREGATION_DEFAULTS, type AggregationOptions } from "./aggregation.ts";
import { tokenObjective } from "./token-objective.ts";
import { withDefaults, type ObjectiveMethod } from "./train.ts";

const ID = "entropy-bonus";
const DEFAULTS: AggregationOptions = { ...AGGREGATION_DEFAULTS };

export const entropyBonus: ObjectiveMethod<AggregationOptions> = {
  info: {
    title: "Entropy bonus",
    paper: "Williams and Peng 1991",
    confidence: "code",
    formula: "L = -H(p)",
    meaning: "Keeps the policy from becoming certain too early.",
    departures: [],
    defaults: { ...DEFAULTS },
  },
  needs: ["entropy"],
  rowFields: [],
  create: (given) => {
    return tokenObjective({
      id: ID,
      statistic: "entropy",
      fields: [],
      options: withDefaults(ID, DEFAULTS, given),
      metrics: ["entropy"],
      constantWeights: true,
      row: ({ live }, out) => {
        return (token) => {
          out.value = -(live[token] as number);
          out.slope = -1;
          out.counts[0] = (out.counts[0] as number) + (live[token] as number);
        };
      },
    });
  },
};
