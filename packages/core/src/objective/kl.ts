/**
 * Divergence from a reference policy as a loss: L = estimator(log p - log reference).
 *
 * The coefficient is the weight it is combined with. The straight-through forms have the value of the estimator and
 * the gradient of k2: the value is read from `frozen`, and k2(live) - k2(frozen), which is 0 in value, is added.
 */
import { aggregationOptions } from "./aggregation.ts";
import { estimatorOption, isStraightThrough, klSlope, klValue } from "./kl-estimators.ts";
import { tokenObjective } from "./token-objective.ts";
import { defineObjective } from "./objective.ts";

export const kl = defineObjective({
  id: "kl",
  info: {
    title: "Divergence from a reference policy",
    paper: "Schulman 2020, approximating KL divergence; in the loss: arXiv 2402.03300",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: kl_penalty",
    formula: [
      "k = log p - log reference; k1 = k, abs = |k|, k2 = k^2 / 2, k3 = exp(-k) + k - 1, at most 10; '+': gradient of k2",
    ],
    meaning: "Holds the policy near a reference policy.",
    departures: [
      "The straight-through suffix works; in the public code that documents it, it raises an error.",
      "Published code weighs it by 0.001 where it is on, and it is off by default; here its weight is the training's klWeight, 0 by default. The reference is the policy at the start of the run in both. It can also take k1 from the rewards of tokens (use_kl_in_reward, 0.001, fixed or adaptive), which is not here.",
      'The form "full", which the published function names and refuses, is not here.',
    ],
  },
  policyLoss: false,
  options: { ...aggregationOptions, estimator: estimatorOption },
  needs: ["logprob"],
  rowFields: ["referenceLogprobs"],
  create: ({ estimator }, own) => {
    const through = isStraightThrough(estimator);
    return tokenObjective({
      ...own,
      metrics: ["kl"],
      row:
        ({ live, frozen, fields: { referenceLogprobs } }, out) =>
        (token) => {
          const k = (live[token] as number) - (referenceLogprobs[token] as number);
          const held = (frozen[token] as number) - (referenceLogprobs[token] as number);
          out.value = through
            ? klValue(estimator, held) + klValue("k2", k) - klValue("k2", held)
            : klValue(estimator, k);
          out.slope = klSlope(estimator, k);
          out.counts[0] = (out.counts[0] as number) + out.value;
        },
    });
  },
});
