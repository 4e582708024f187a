/**
 * Divergence from a teacher by the sampled token alone: L = estimator(log p - log teacher). It needs
 * nothing of the teacher but its scores of the sampled tokens. The estimators are those of the divergence from a reference.
 */
import { option } from "limbeck-base/base/option";
import { aggregationOptions } from "./aggregation.ts";
import { klSlope, klValue, plainEstimatorOption } from "./kl-estimators.ts";
import { tokenObjective } from "./token-objective.ts";
import { defineObjective } from "./objective.ts";

export const sampledDivergence = defineObjective({
  id: "sampled-divergence",
  info: {
    title: "Divergence from a teacher, sampled token",
    paper: "Schulman 2020, approximating KL divergence; with a teacher: TRD, published code",
    confidence: "code",
    source:
      "louieworth/trd @ 21116fbf; recipe/opd/kl_utils.py: compute_reverse_kl_monte_carlo; volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: kl_penalty",
    formula: ["k = log p - log teacher; k1 = k, abs = |k|, k2 = k^2 / 2, k3 = exp(-k) + k - 1"],
    meaning: "Pulls the policy to the teacher by what the teacher thinks of the tokens that were written.",
    departures: [
      "On text that the policy did not sample itself the estimators are biased; a full form is not.",
      "k3 is verl's: -k is held within 20 on both sides and the value within 10, without a slope beyond. TRD bounds -k by 20 above only, and its value not at all.",
      "Only the reverse divergence is here. TRD also has a forward one on the teacher's text, log teacher - log p (gradient -1 for every token, as in imitation), and a middle one (beta).",
      "verl's k1+, abs+ and k3+ (value of the estimator, gradient of k2; they raise an error there) are not among these estimators; the objective kl has them.",
      "TRD's configuration caps each token at 0.1, its scripts of the reverse divergence, which compare whole distributions, at nothing, as here (clamp); it divides logits by a temperature (0.7 in the configuration, 1 in the scripts), here 1.",
    ],
  },
  policyLoss: false,
  options: {
    ...aggregationOptions,
    estimator: plainEstimatorOption,
    clamp: option.limit(null, "most that one token can count", { above: 0 }),
  },
  needs: ["logprob"],
  rowFields: [],
  create: ({ estimator, clamp }, own) => {
    const most = clamp ?? Number.POSITIVE_INFINITY;
    return tokenObjective({
      ...own,
      fields: ["teacherLogprobs"],
      metrics: ["divergence"],
      includes: (row) => row.teacherLogprobs !== undefined,
      taught: true,
      row:
        ({ live, fields: { teacherLogprobs } }, out) =>
        (token) => {
          const k = (live[token] as number) - (teacherLogprobs[token] as number);
          const value = klValue(estimator, k);
          out.value = Math.min(value, most);
          out.slope = value > most ? 0 : klSlope(estimator, k);
          out.counts[0] = (out.counts[0] as number) + out.value;
        },
    });
  },
});
