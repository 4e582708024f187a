/** VG-GRPO: group-relative advantages, shut off where a group's outcomes hardly differ. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { real, intAt } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { groupStatistics, outcomeAdvantages, taskGroups } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { comparison, invalidPenalty } from "./shared-options.ts";

export const vgGrpo = defineCredit({
  info: {
    title: "VG-GRPO",
    paper:
      "Multi-ORFT: Stable Online Reinforcement Fine-Tuning for Multi-Agent Diffusion Planning in Cooperative Driving",
    confidence: "inferred",
    formula: [
      "A = gate * (S - mean(S)) / (std(S) + epsilon),   gate = variance / (variance + threshold)   over the rows of one task",
    ],
    meaning: "GRPO that does not blow tiny differences between rollouts up to full size.",
    departures: ["Only the abstract was read: that the gate is the variance over itself and a threshold is ours."],
  },
  options: {
    threshold: option.number(0.01, "variance at which the gate is one half", { least: 0 }),
    ...comparison("zero", "the step rows of one task"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "neither", zeroSum: true },
  example: { about: "Two rollouts that differ by a hundredth.", batch: answers([0.5, 0.51]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const { advantages, metrics } = outcomeAdvantages(batch, scores, { ...options, scale: false });
    const { scales, sizes } = groupStatistics(scores, taskGroups(batch), options);
    const variances = scales.map((scale, task) => (sizes[task] === 1 ? 0 : (scale - options.epsilon) ** 2));
    const gates = variances.map((variance) => (variance === 0 ? 0 : variance / (variance + options.threshold)));
    const perRow = advantages.map((value, at) => {
      const task = intAt(batch.index.taskOf, at);
      return sizes[task] === 1 ? value : (real(gates, task) * value) / real(scales, task);
    });
    const meanGate = mean(Array.from(gates).filter((gate) => gate > 0));
    return { terms: { outcome: { weight: 1, perRow } }, metrics: { ...metrics, meanGate } };
  },
});
