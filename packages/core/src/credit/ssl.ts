/** SSL: full success, and beside it tiers of progress whose rewards grow faster and faster; then any centred estimator. */
import { option } from "limbeck-base/base/option";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { asTerm, outcomeAdvantages } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { mode, outcomeOptions } from "./shared-options.ts";

export const ssl = defineCredit({
  info: {
    title: "SSL (tiered reward)",
    paper: "SSL: Sweet Spot Learning for Differentiated Guidance in Agentic Optimization",
    confidence: "reading",
    source:
      "reviews of arXiv 2601.22491 by others: the sum, its weight without a value, and K = 4; the authors' code was not found",
    formula: [
      "tier = edges at or below the progress, edges at 1/K, 2/K, .. 1;   S = tier * (tier + 1) / (K * (K + 1))",
      "R = correctness * [progress = 1] + alpha * S",
      "A = R - mean(R), or over (std + epsilon)   over the rows of one task",
    ],
    meaning: "Grades partial progress in steps that grow towards the goal, so that the last step pays most.",
    departures: [
      "The growth of the steps and the value of alpha are ours; correctness 0 leaves the tiers alone. Edges are evenly spaced; tierReward takes any.",
      "The paper's zones are of its worlds: Gaussian fields around what is to be clicked, right blocks of a grid. Here progress is any number.",
      "Progress is the outcome, held within 0 and 1.",
    ],
  },
  options: {
    tiers: option.number(4, "number of tiers above the lowest", { least: 1, most: 1000, whole: true }),
    correctness: option.number(1, "worth of full success beside its tier", { least: 0 }),
    alpha: option.number(1, "weight of the tier", { least: 0 }),
    mode: mode("mean_norm"),
    ...outcomeOptions,
  },
  laws: { shift: false, scale: "neither", zeroSum: true },
  example: { about: "Four attempts of different progress.", batch: answers([1, 0.6, 0.3, 0.1]) },
  compute: (batch, options) => {
    const edges = Array.from({ length: options.tiers }, (_, at) => (at + 1) / options.tiers);
    const tiers = rowScores(batch, options.invalidPenalty).map(
      (progress) => (progress >= 1 ? options.correctness : 0) + options.alpha * tierReward(progress, edges),
    );
    const group = { ...options, scale: options.mode === "mean_std_norm" };
    return asTerm("tier", outcomeAdvantages(batch, tiers, group));
  },
});

/**
 * Reward of a progress in [0, 1], held there; edges ascend. A better tier never earns less.
 *
 * @example
 * console.log([0, 0.5, 1].map((progress) => tierReward(progress, [0.25, 0.5, 1]))); // [ 0, 0.5, 1 ]
 */
export function tierReward(progress: number, edges: readonly number[]): number {
  const held = Math.max(0, Math.min(1, progress));
  const tier = edges.filter((edge) => edge <= held).length;
  return (tier * (tier + 1)) / (edges.length * (edges.length + 1));
}
