/** Group-relative advantages (GRPO). */
import { option } from "limbeck-base/base/option";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { asTerm, outcomeAdvantages } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { outcomeOptions } from "./shared-options.ts";

export const grpo = defineCredit({
  info: {
    title: "GRPO",
    paper: "DeepSeekMath, arXiv 2402.03300",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_grpo_outcome_advantage",
    formula: ["A_i = (S_i - mean(S)) / (std(S) + epsilon)   over the rows of one task"],
    meaning: "Score minus the group's mean, over the group's spread.",
    departures: [
      "The paper says standard deviation; published code divides by n - 1. Option deviation.",
      "A second published form floors the variance at epsilon before the root and then adds epsilon, so it divides by at least 0.001001. Option form.",
      "The named code has one row for a conversation. Here rows are steps and the statistics are over step rows, as in published agent code, so a single episode of several steps is a group of equal scores. Option countTrajectoryOnce.",
      "The paper's process supervision (normalised rewards of steps, added up from each token on) is not here, nor in the named code.",
    ],
  },
  options: {
    normByStd: option.flag(true, "divide by the deviation; false leaves plain centring"),
    form: option.choice(
      "loop",
      ["loop", "vectorised"],
      "loop adds epsilon to the deviation, vectorised also floors the variance at epsilon",
    ),
    ...outcomeOptions,
  },
  laws: { shift: true, scale: "same", zeroSum: true },
  example: { about: "Four answers to one prompt, two of them right.", batch: answers([1, 0, 0, 1]) },
  compute: (batch, options) => {
    const floor = options.form === "vectorised" ? { varianceFloor: options.epsilon } : {};
    const group = { ...options, scale: options.normByStd, ...floor };
    return asTerm("outcome", outcomeAdvantages(batch, rowScores(batch, options.invalidPenalty), group));
  },
});
