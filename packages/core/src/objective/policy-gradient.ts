/**
 * The plain policy gradient (REINFORCE, GPG).
 *
 * methods.md 2.10. The second form is right for rows of an older policy too.
 */
import { option } from "limbeck-base/base/option";
import { ratioOf } from "./ratio.ts";
import { policyLossOptions, tokenObjective } from "./token-objective.ts";
import { defineObjective } from "./objective.ts";

export const policyGradient = defineObjective({
  id: "policy-gradient",
  info: {
    title: "Plain policy gradient (REINFORCE, GPG)",
    paper: "Williams 1992; GPG arXiv 2504.02546",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_policy_loss_gpg",
    formula: ["L = -A log p / (1 + tau); with ratio: L = -stopped(r) A log p / (1 + tau)"],
    meaning: "Makes a token more likely in proportion to its advantage, without any clip.",
    departures: [],
  },
  policyLoss: true,
  options: {
    ...policyLossOptions,
    ratio: option.flag(
      false,
      "weigh each token by its ratio to the old policy, without gradient; needs old log-probabilities",
    ),
    tau: option.number(0, "divides the loss by 1 + tau (mirror descent: OPMD, R3L)", { least: 0 }),
  },
  needs: ["logprob"],
  rowFields: ["advantages"],
  create: (options, own) =>
    tokenObjective<"advantages" | "oldLogprobs", never>({
      ...own,
      fields: options.ratio ? ["advantages", "oldLogprobs"] : ["advantages"],
      metrics: [],
      constantWeights: !options.ratio,
      row:
        ({ live, frozen, fields: { advantages, oldLogprobs } }, out) =>
        (token) => {
          const weight = options.ratio ? ratioOf((frozen[token] as number) - (oldLogprobs[token] as number)) : 1;
          out.slope = (-weight * (advantages[token] as number)) / (1 + options.tau);
          out.value = out.slope * (live[token] as number);
        },
    }),
});
