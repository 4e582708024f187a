/**
 * The plain policy gradient (REINFORCE, GPG).
 *
 * The second form is right for rows of an older policy too.
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
    departures: [
      "The named function has neither tau nor ratio. tau is that of OPMD (modelscope/Trinity-RFT @ 60db8e5a, OPMDPolicyLossFn), 1 there and 0 here.",
      "ratio resembles compute_policy_loss_reinforce of the same file, which weighs by the ratio to the sampler, at most 2, where its configuration names a level (none in its YAML; one product for a whole row in its class and in two of its presets, each token in another); here each token by its own ratio to the old policy, at most e^20. Called alone that function takes the mean over rows of their sums, from its configuration the mean over tokens, as here.",
    ],
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
