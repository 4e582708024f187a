/**
 * GRPO done right (Dr.GRPO): centred scores, nothing divided.
 *
 *   A_i = S_i - mean(S)     over the rows of one task
 */
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages } from "./outcome.ts";
import { rowScores } from "./scores.ts";
import { countTrajectoryOnce, invalidPenalty, singleton } from "./shared-options.ts";

export const drGrpo = defineCredit({
  info: {
    title: "Dr.GRPO",
    paper: "Understanding R1-Zero-like training, arXiv 2503.20783",
    confidence: "code",
    formula: ["A_i = S_i - mean(S)   over the rows of one task"],
    meaning: "Score minus the group's mean, without the division that favours easy and hard tasks.",
    departures: [
      "The other half of the method is the loss: aggregate with seq-mean-token-sum-norm, which divides by a constant length.",
    ],
  },
  needs: [],
  options: { singleton: singleton("raw"), countTrajectoryOnce, invalidPenalty: invalidPenalty(0) },
  laws: { shift: true, scale: "proportional", zeroSum: true },
  example: { about: "Four answers to one prompt, two of them right.", batch: answers([1, 0, 0, 1]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const group = { ...options, scale: false, deviation: "unbiased", epsilon: 0 };
    const { advantages, metrics } = outcomeAdvantages(batch, scores, group);
    return { terms: { outcome: { weight: 1, perRow: advantages } }, metrics };
  },
});
