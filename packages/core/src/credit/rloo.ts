/** Leave-one-out baseline (RLOO). */
import { intAt } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { centringOptions } from "./shared-options.ts";

export const rloo = defineCredit({
  info: {
    title: "RLOO",
    paper: "Back to basics, arXiv 2402.14740",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_rloo_vectorized_outcome_advantage",
    formula: ["A_i = S_i - mean of the other rows = n / (n - 1) * (S_i - mean(S))"],
    meaning: "Score minus the mean of the others in its group.",
    departures: [
      "A group of one has no others: one published form keeps the score, the other gives 0. Here 0; option singleton=raw is the first.",
      "Published code has one row for a conversation. Here rows are steps, and the others of a step are all other step rows of its task, those of its own episode among them; countTrajectoryOnce leaves out the whole episode, as published code does, where its steps have the same score; otherwise the mean holds the score of its first step.",
      "The paper takes an answer as one action, so that its loss adds up tokens, without a clip (aggregation seq-mean-token-sum); the published script clips and takes the mean over tokens, as a training here.",
      "The published script takes 0.001 times the divergence from the start (k1) from token rewards before this; here a training takes nothing.",
    ],
  },
  options: centringOptions("zero"),
  laws: { shift: true, scale: "proportional", zeroSum: true },
  example: { about: "Three answers to one prompt.", batch: answers([1, 0, 0.5]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const { advantages, sizes, metrics } = outcomeAdvantages(batch, scores, { ...options, scale: false });
    const perRow = advantages.map((value, at) => {
      const size = intAt(sizes, intAt(batch.index.taskOf, at));
      return size > 1 ? (value * size) / (size - 1) : value;
    });
    return { terms: { outcome: { weight: 1, perRow } }, metrics };
  },
});
