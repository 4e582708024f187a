/**
 * Leave-one-out baseline (RLOO).
 *
 *   A_i = S_i - mean(S without i) = n / (n - 1) * (S_i - mean(S))
 */
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages } from "./outcome.ts";
import { rowScores } from "./scores.ts";
import { countTrajectoryOnce, invalidPenalty, singleton } from "./shared-options.ts";

export const rloo = defineCredit({
  info: {
    title: "RLOO",
    paper: "Back to basics, arXiv 2402.14740",
    confidence: "code",
    formula: ["A_i = S_i - mean of the other rows = n / (n - 1) * (S_i - mean(S))"],
    meaning: "Score minus the mean of the others in its group.",
    departures: [
      "A group of one has no others: one published form keeps the score, the other gives 0. Here 0; option singleton=raw is the first.",
    ],
  },
  needs: [],
  options: { singleton: singleton("zero"), countTrajectoryOnce, invalidPenalty: invalidPenalty(0) },
  laws: { shift: true, scale: "proportional", zeroSum: true },
  example: { about: "Three answers to one prompt.", batch: answers([1, 0, 0.5]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const group = { ...options, scale: false, deviation: "unbiased", epsilon: 0 };
    const { advantages, sizes, metrics } = outcomeAdvantages(batch, scores, group);
    for (let at = 0; at < advantages.length; at += 1) {
      const size = sizes[batch.index.taskOf[at] as number] as number;
      if (size > 1) advantages[at] = ((advantages[at] as number) * size) / (size - 1);
    }
    return { terms: { outcome: { weight: 1, perRow: advantages } }, metrics };
  },
});
