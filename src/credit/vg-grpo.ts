/**
 * VG-GRPO: group-relative advantages, shut off where a group's outcomes hardly differ.
 *
 *   A = gate * (S - mean(S)) / (std(S) + epsilon)      gate = std^2 / (std^2 + threshold)
 */
import { option } from "../base/index.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { groupStatistics } from "./group-advantages.ts";
import { rowScores } from "./scores.ts";
import { deviation, epsilon, invalidPenalty, singleton } from "./shared-options.ts";

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
  needs: [],
  options: {
    threshold: option.number(0.01, "variance at which the gate is one half", { least: 0 }),
    singleton: singleton("zero"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "neither", zeroSum: true },
  example: { about: "Two rollouts that differ by a hundredth.", batch: answers([0.5, 0.51]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const groups = { of: batch.index.taskOf, count: batch.index.tasks };
    const { centres, scales, sizes, metrics } = groupStatistics(scores, groups, { ...options, scale: true });
    const perRow = scores.map((score, at) => {
      const task = groups.of[at] as number;
      const scale = scales[task] as number;
      if (sizes[task] === 1) return options.singleton === "raw" ? score : 0;
      const variance = (scale - options.epsilon) ** 2;
      const gate = variance === 0 ? 0 : variance / (variance + options.threshold);
      return (gate * (score - (centres[task] as number))) / scale;
    });
    return { terms: { outcome: { weight: 1, perRow } }, metrics };
  },
});
