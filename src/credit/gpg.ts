/**
 * Group policy gradient (GPG): centred scores, made larger by the share of rows that earned nothing.
 *
 *   A_i = alpha * (S_i - mean(S)) / normaliser      alpha = rows / rows whose score is not 0, over the batch
 */
import { option } from "../base/index.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages } from "./outcome.ts";
import { rowScores } from "./scores.ts";
import { countTrajectoryOnce, invalidPenalty, singleton } from "./shared-options.ts";

export const gpg = defineCredit({
  info: {
    title: "GPG",
    paper: "GPG: a simple and strong reinforcement learning baseline, arXiv 2504.02546",
    confidence: "code",
    formula: [
      "alpha = rows of the batch / max(rows whose score is not 0, 1)",
      "A_i = alpha * (S_i - mean(S)) / normaliser   over the rows of one task",
    ],
    meaning: "Centred scores that speak louder in a batch where few rows earned anything.",
    departures: ["Its loss has no ratio: train with the objective policy-gradient."],
  },
  needs: [],
  options: {
    normaliser: option.number(1, "divides the centred score", { least: 1e-12 }),
    singleton: singleton("raw"),
    countTrajectoryOnce,
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: false, scale: "proportional", zeroSum: true },
  example: { about: "Four answers, two of them right.", batch: answers([1, 0, 1, 0]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const earning = scores.reduce((count, score) => count + (score === 0 ? 0 : 1), 0);
    const alpha = scores.length / Math.max(earning, 1);
    const group = { ...options, scale: false, deviation: "unbiased", epsilon: 1e-6 };
    const { advantages, metrics } = outcomeAdvantages(batch, scores, group);
    return {
      terms: { outcome: { weight: alpha / options.normaliser, perRow: advantages } },
      metrics: { ...metrics, alpha },
    };
  },
});
