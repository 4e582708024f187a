/**
 * KL-Cov: the tokens that would cost the policy most entropy are pulled back to the old policy.
 *
 * There is no clip.
 */
import { option } from "limbeck-base/base/option";
import { byRow, chosenCount, covariances } from "./covariance.ts";
import { ratioOf, ratioSlope } from "./ratio.ts";
import { policyLossOptions, tokenObjective, type RowView } from "./token-objective.ts";
import { defineObjective, TWO_STEPS } from "./objective.ts";

export const klCov = defineObjective({
  id: "kl-cov",
  info: {
    title: "KL-Cov (covariance penalty)",
    paper: "The entropy mechanism of reinforcement learning for reasoning language models, arXiv 2505.22617",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_policy_loss_kl_cov",
    formula: [
      "L = -A r; for the share of tokens with the largest covariance of A and log p: L = -A r + coefficient |new - old|",
    ],
    meaning: "Keeps entropy up by holding the few tokens that would lower it most near the old policy.",
    departures: [
      "The coefficient is 1 in the published function and in the authors' scripts, and 0.1 in the shipped configuration; here 1. Option coefficient. The scripts choose 0.002 of the tokens for 7B and 0.0002 for 32B; here 0.0002, the configuration's default.",
      "At least one token is chosen, even where all covariances are 0, as in published code; there in each micro-batch, here in the batch of a step.",
      "Here the log-ratio is held within 20 in A r; published code has no such bound in this loss. The metric approximateKl is the mean of old - new; published code logs that of |new - old|.",
    ],
  },
  policyLoss: true,
  ratios: TWO_STEPS,
  options: {
    ...policyLossOptions,
    share: option.share(0.0002, "share of the batch's tokens that are pulled back; at least one"),
    coefficient: option.number(1, "weight of the pull", { least: 0 }),
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (options, own) =>
    tokenObjective({
      ...own,
      metrics: ["pulledFraction", "approximateKl"],
      prepare: (views: readonly RowView<"advantages" | "oldLogprobs">[]) => {
        const all = covariances(views).sort((left, right) => right.covariance - left.covariance);
        return byRow(all.slice(0, chosenCount(all.length, options.share)));
      },
      row: ({ at, live, fields: { advantages, oldLogprobs } }, out, chosen) => {
        const pulled = chosen.get(at);
        return (token) => {
          const advantage = advantages[token] as number;
          const difference = (live[token] as number) - (oldLogprobs[token] as number);
          const coefficient = pulled?.has(token) === true ? options.coefficient : 0;
          out.value = -advantage * ratioOf(difference) + coefficient * Math.abs(difference);
          out.slope = -advantage * ratioSlope(difference) + coefficient * Math.sign(difference);
          out.counts[0] = (out.counts[0] as number) + Number(pulled?.has(token) === true);
          out.counts[1] = (out.counts[1] as number) - difference;
        };
      },
    }),
});
