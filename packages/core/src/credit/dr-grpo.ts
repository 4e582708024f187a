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
      "The other half of the method is the loss: aggregate with seq-mean-token-sum-norm. Its divisor is the longest stretch of the batch unless objective.normaliser gives a constant; the named code divides by the padded response length, and neither function divides by the number of rows. Its workers then average over micro-batches, whose size so sets the scale of the loss.",
      "With several steps in a trajectory the mean is over step rows, as in published agent code; the paper's is over whole responses. Option countTrajectoryOnce.",
      "A group of one keeps its score, as in the named code; by the paper's formula, and in its authors' code, it gets 0. Option singleton.",
      "Code of its authors (sail-sg/understand-r1-zero @ 14046dca) divides each answer's sum by its limit of 3,000 tokens and takes the mean over answers, and gives a cut-off answer the score 0; here neither.",
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
