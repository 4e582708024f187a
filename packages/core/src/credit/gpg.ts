/** Group policy gradient (GPG): centred scores, made larger by the share of rows that earned nothing. */
import { option } from "limbeck-base/base/option";
import { countOf } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { centringOptions } from "./shared-options.ts";

export const gpg = defineCredit({
  info: {
    title: "GPG",
    paper: "GPG: a simple and strong reinforcement learning baseline, arXiv 2504.02546",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_gpg_outcome_advantage",
    formula: [
      "alpha = rows of the batch / max(rows whose score is not 0, 1)",
      "A_i = alpha * (S_i - mean(S)) / normaliser   over the rows of one task",
    ],
    meaning: "Centred scores that speak louder in a batch where few rows earned anything.",
    departures: [
      "With several steps in a trajectory, alpha and the mean are over step rows. Option countTrajectoryOnce, for the mean alone.",
      "Followed is verl, which counts rows of score 0. The paper leaves out groups whose scores are all equal, alpha = B / (B - M), and samples again where too few remain (in its authors' scripts less than 0.5 or 0.4 of the groups); here they stay, with advantages of 0. One group of four, two of them right: alpha 2 here, 1 there.",
      "Its loss has no ratio: train with the objective policy-gradient.",
    ],
  },
  options: {
    normaliser: option.number(1, "divides the centred score", { least: 1e-12 }),
    ...centringOptions("raw"),
  },
  laws: { shift: false, scale: "proportional", zeroSum: true },
  example: { about: "Four answers, two of them right.", batch: answers([1, 0, 1, 0]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const alpha = scores.length / Math.max(countOf(scores), 1);
    const { advantages, metrics } = outcomeAdvantages(batch, scores, { ...options, scale: false });
    return {
      terms: { outcome: { weight: alpha / options.normaliser, perRow: advantages } },
      metrics: { ...metrics, alpha },
    };
  },
});
