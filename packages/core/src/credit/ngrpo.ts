/**
 * NGRPO: every group is compared as if it held one more rollout with the largest reward, so that a group of failures
 * counts as a failure.
 */
import { option } from "limbeck-base/base/option";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { groupAdvantages } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { deviation, epsilon, invalidPenalty } from "./shared-options.ts";

export const ngrpo = defineCredit({
  info: {
    title: "NGRPO",
    paper: "NGRPO: Negative-enhanced Group Relative Policy Optimization, arXiv 2509.18851",
    confidence: "inferred",
    formula: [
      "A_i = (S_i - mean) / (std + epsilon)   mean and std over the rows of one task and one virtual score maxReward",
    ],
    meaning: "GRPO in which a group of equal failures learns that a better answer exists.",
    departures: [
      "Only abstract and summaries were read; whether the deviation divides by n or n - 1 is an option.",
      "The other half of the method is the loss: looser clipping where the advantage is positive, stricter where it is negative.",
      "Statistics are over step rows, so the virtual score weighs less in groups of long trajectories.",
    ],
  },
  options: {
    maxReward: option.number(1, "score of the virtual rollout"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: false, scale: "neither", zeroSum: false },
  example: { about: "Two wrong answers; GRPO would say nothing.", batch: answers([0, 0]) },
  compute: (batch, options) => {
    const { taskOf, tasks } = batch.index;
    const scores = rowScores(batch, options.invalidPenalty);
    // One more member for each task behind the rows. Only the statistics see it, and no group has one member alone.
    const values = new Float64Array(scores.length + tasks).fill(options.maxReward);
    values.set(scores);
    const of = Int32Array.from({ length: values.length }, (_, at) => taskOf[at] ?? at - scores.length);
    const found = groupAdvantages(values, { of, count: tasks }, { ...options, singleton: "zero" });
    const perRow = found.advantages.subarray(0, scores.length);
    return { terms: { outcome: { weight: 1, perRow } }, metrics: found.metrics };
  },
});
