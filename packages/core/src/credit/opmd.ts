/** Online policy mirror descent (OPMD): score against the group's mean, or against its soft value. */
import { option } from "limbeck-base/base/option";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { asTerm, outcomeAdvantages, taskGroups } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { invalidPenalty, singleton } from "./shared-options.ts";
import { softBaselines } from "./soft-value.ts";

export const opmd = defineCredit({
  info: {
    title: "OPMD",
    paper: "Trinity-RFT, online policy mirror descent, arXiv 2505.17826",
    confidence: "code",
    source: "modelscope/Trinity-RFT @ 60db8e5a; trinity/algorithm/advantage_fn/opmd_advantage.py: OPMDGroupAdvantage",
    formula: ["A_i = S_i - mean(S), or S_i - tau * ln(mean(exp(S / tau)))   over the rows of one task"],
    meaning: "Centred scores for a loss without ratios, with a baseline that can lean to the best.",
    departures: [
      "The loss is -A log p / (1 + tau): objective policy-gradient with the same tau. Published runs have it with tau 1; here a training has it only where it is chosen, and tau is 0 there by default.",
      "Published runs add 0.001 times a divergence from the start (k2) and renew the sampler every 10 updates with Adam's betas 0 and 0.95; here a training has no divergence, samples afresh in each update and has betas 0.9 and 0.999.",
    ],
  },
  options: {
    baseline: option.choice("mean", ["mean", "soft"], "the mean, or the soft value"),
    tau: option.number(1, "temperature of the soft value", { least: 1e-6 }),
    singleton: singleton("raw", "the step rows of one task"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "proportional", zeroSum: true },
  example: {
    about: "Three answers against their soft value.",
    batch: answers([1, 0, 0.5]),
    options: { baseline: "soft" },
  },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const soft = options.baseline === "soft" ? { baseline: softBaselines(scores, taskGroups(batch), options.tau) } : {};
    const group = { scale: false, singleton: options.singleton, ...soft };
    return asTerm("outcome", outcomeAdvantages(batch, scores, group));
  },
});
