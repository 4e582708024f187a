/**
 * The plain policy gradient (REINFORCE, GPG).
 *
 *   L = -A log p, or with `ratio`: L = -stopped(r) A log p
 *
 * methods.md 2.10. The second form is right for rows of an older policy too.
 */
import { ratioOf } from "./ratio.ts";
import { POLICY_LOSS_DEFAULTS, tokenObjective, type PolicyLossOptions } from "./token-objective.ts";
import { badOption, checkNumber, withDefaults, type ObjectiveMethod } from "./train.ts";

export interface PolicyGradientOptions extends PolicyLossOptions {
  /** Weighs each token by its ratio to the old policy, without gradient; needs old log-probabilities. */
  readonly ratio: boolean;
  /** Divides the loss by 1 + tau (mirror descent: OPMD, R3L). */
  readonly tau: number;
}

const ID = "policy-gradient";
const DEFAULTS: PolicyGradientOptions = { ...POLICY_LOSS_DEFAULTS, ratio: false, tau: 0 };

export const policyGradient: ObjectiveMethod<PolicyGradientOptions> = {
  info: {
    title: "Plain policy gradient (REINFORCE, GPG)",
    paper: "Williams 1992; GPG arXiv 2504.02546",
    confidence: "code",
    formula: "L = -A log p / (1 + tau); with ratio: L = -stopped(r) A log p / (1 + tau)",
    meaning: "Makes a token more likely in proportion to its advantage, without any clip.",
    departures: [],
    defaults: { ...DEFAULTS },
  },
  needs: ["logprob"],
  rowFields: ["advantages"],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    if (typeof options.ratio !== "boolean") throw badOption(ID, "ratio", options.ratio, "true or false");
    checkNumber(ID, "tau", options.tau, 0);
    return tokenObjective<"advantages" | "oldLogprobs", never>({
      id: ID,
      statistic: "logprob",
      fields: options.ratio ? ["advantages", "oldLogprobs"] : ["advantages"],
      options,
      metrics: [],
      constantWeights: !options.ratio,
      row: ({ live, frozen, fields: { advantages, oldLogprobs } }, out) => {
        return (token) => {
          const weight = options.ratio ? ratioOf((frozen[token] as number) - (oldLogprobs[token] as number)) : 1;
          out.slope = (-weight * (advantages[token] as number)) / (1 + options.tau);
          out.value = out.slope * (live[token] as number);
        };
      },
    });
  },
};
