/**
 * SAPO: a smooth gate instead of a clip.
 *
 *   gate(r) = (4 / tau) sigmoid(tau (r - 1));  L = -A gate(r);  tau of its own for A > 0 and for A <= 0
 *
 * methods.md 2.10. At r = 1 the gate's slope is 1, so on-policy gradients are those of the plain policy gradient.
 */
import { ratioOf, ratioSlope } from "./ratio.ts";
import { POLICY_LOSS_DEFAULTS, tokenObjective, type PolicyLossOptions } from "./token-objective.ts";
import { badOption, withDefaults, type ObjectiveMethod } from "./train.ts";

export interface SapoOptions extends PolicyLossOptions {
  readonly tauPositive: number;
  readonly tauNegative: number;
}

const ID = "sapo";
const DEFAULTS: SapoOptions = { ...POLICY_LOSS_DEFAULTS, tauPositive: 1, tauNegative: 1.05 };

export const sapo: ObjectiveMethod<SapoOptions> = {
  info: {
    title: "Soft adaptive policy optimisation (SAPO)",
    paper: "arXiv 2511.20347",
    confidence: "code",
    formula: "L = -A (4 / tau) sigmoid(tau (r - 1)); tau 1.0 for A > 0, 1.05 otherwise",
    meaning: "Lets the pull of a token fade smoothly as its ratio leaves 1, faster for negative advantages.",
    departures: [],
    defaults: { ...DEFAULTS },
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    for (const name of ["tauPositive", "tauNegative"] as const) {
      if (!(options[name] > 0 && options[name] < Infinity))
        throw badOption(ID, name, options[name], "above 0 and finite");
    }
    return tokenObjective({
      id: ID,
      statistic: "logprob",
      fields: ["advantages", "oldLogprobs"],
      options,
      metrics: ["approximateKl"],
      row: ({ live, fields: { advantages, oldLogprobs } }, out) => {
        return (token) => {
          const advantage = advantages[token] as number;
          const difference = (live[token] as number) - (oldLogprobs[token] as number);
          const tau = advantage > 0 ? options.tauPositive : options.tauNegative;
          const open = 1 / (1 + Math.exp(-tau * (ratioOf(difference) - 1)));
          out.value = (-advantage * 4 * open) / tau;
          out.slope = -advantage * 4 * open * (1 - open) * ratioSlope(difference);
          out.counts[0] = (out.counts[0] as number) - difference;
        };
      },
    });
  },
};
