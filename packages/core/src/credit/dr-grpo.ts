/** GRPO done right (Dr.GRPO): centred scores, nothing divided. */
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { asTerm, outcomeAdvantages } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { centringOptions } from "./shared-options.ts";

export const drGrpo = defineCredit({
  info: {
    title: "Dr.GRPO",
    paper: "Understanding R1-Zero-like training, arXiv 2503.20783",
    confidence: "code",
    source:
      "jinyangwu/OPID @ 37a15a5f; verl/trainer/ppo/core_algos.py: compute_grpo_outcome_advantage without the deviation",
    formula: ["A_i = S_i - mean(S)   over the rows of one task"],
    meaning: "Score minus the group's mean, without the division that favours easy and hard tasks.",
    departures: [
      "The other half of the method is the loss: aggregate with seq-mean-token-sum-norm. Its divisor is the longest stretch of the batch unless objective.normaliser gives a constant; published code divides by the padded response length, and neither divides by the number of rows.",
      "With several steps in a trajectory the mean is over step rows, as in published agent code; the paper's is over whole responses. Option countTrajectoryOnce.",
      "A group of one keeps its score, as in published code; by the paper's formula it gets 0. Option singleton.",
    ],
  },
  options: centringOptions("raw"),
  laws: { shift: true, scale: "proportional", zeroSum: true },
  example: { about: "Four answers to one prompt, two of them right.", batch: answers([1, 0, 0, 1]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    return asTerm("outcome", outcomeAdvantages(batch, scores, { ...options, scale: false }));
  },
});
