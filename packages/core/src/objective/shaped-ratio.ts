/**
 * The shaped ratio for tokens that another has chosen (SCOPE-B; the form of LUFFY): what a corrector
 * wrote has no ratio to an old policy, so its probability itself is bent.
 *
 *   L = -A f,   f = p / (p + gamma),   df/d log p = gamma p / (p + gamma)^2
 *
 * Unlikely right tokens keep a gradient where a plain ratio would give them none, and likely ones stop pulling. The
 * policy's own tokens belong into rows of their own, under a policy loss.
 */
import { option } from "limbeck-base/base/option";
import { aggregationOptions } from "./aggregation.ts";
import { tokenObjective } from "./token-objective.ts";
import { defineObjective } from "./objective.ts";

export const shapedRatio = defineObjective({
  id: "shaped-ratio",
  info: {
    title: "Shaped ratio for corrected tokens (SCOPE-B)",
    paper:
      "LUFFY, arXiv 2504.14945; Recycling Failures: Salvaging Exploration in RLVR via Fine-Grained Off-Policy Guidance",
    confidence: "code",
    source:
      "ElliottYan/LUFFY @ 01f4ae06; luffy/verl/verl/mix_src/mix_core_alg.py: compute_token_on_off_policy_loss, p_div_p_0.1",
    formula: ["L = -A p / (p + gamma)"],
    meaning: "Learns from tokens that another has chosen, most from those the policy finds unlikely.",
    departures: [
      "The form is LUFFY's; that SCOPE-B shapes its corrected tokens so was inferred from its abstract.",
      "LUFFY has it for whole demonstrations of a stronger model, one of eight answers, with -A times the plain ratio to the old policy for the other seven, in one loss; advantages are against the mean of all eight, not divided by their deviation, in its script (seven failures and a right demonstration: 0.875); the function that takes the mean of the seven alone serves the run whose demonstrations have a supervised loss. Its script clips nothing and divides the sum by the width of the batch, not by its tokens. Here the loss is of these tokens alone, and their mean by default.",
      "gamma is fixed to 0.1, 0.3 or 0.5 there, and the configuration shapes nothing (the script: 0.1, as here). Bounds on f (off_policy_max_clip, off_policy_min_clip), leaving out tokens above a probability (all_max_clip) and dividing by the demonstrator's probability (target_probs), all off by default there, do not exist here.",
      "A probability below exp(-500) has no slope here.",
    ],
  },
  policyLoss: false,
  options: {
    ...aggregationOptions,
    gamma: option.number(0.1, "probability at which f is one half", { above: 0 }),
  },
  needs: ["logprob"],
  rowFields: ["advantages"],
  create: ({ gamma }, own) =>
    tokenObjective({
      ...own,
      metrics: ["shaped"],
      row:
        ({ live, fields: { advantages } }, out) =>
        (token) => {
          // As 1 / (1 + gamma / p), which stays finite whatever p is.
          const odds = gamma * Math.exp(Math.min(-(live[token] as number), MOST));
          const shaped = 1 / (1 + odds);
          out.value = -(advantages[token] as number) * shaped;
          out.slope = -(live[token] as number) > MOST ? 0 : -(advantages[token] as number) * shaped * (1 - shaped);
          out.counts[0] = (out.counts[0] as number) + shaped;
        },
    }),
});

/** Beyond this many nats a probability counts as nothing. */
const MOST = 500;
