/** PRE-GRPO: a trajectory earns its best quality, less what it lost of it and less the turns after it. */
import { option } from "limbeck-base/base/option";
import { stepsOf } from "./batch-index.ts";
import { entry } from "./columns.ts";
import { type CreditRow, defineCredit, type IndexedBatch } from "./credit.ts";
import { episodes } from "./examples.ts";
import { onRows, trajectoryAdvantages } from "./groups.ts";
import { comparison } from "./shared-options.ts";

export const preGrpo = defineCredit({
  info: {
    title: "PRE-GRPO",
    paper: "Generation Navigator: A State-Aware Agentic Framework for Image Generation",
    confidence: "inferred",
    formula: [
      "P = max quality over the turns, t* its first turn, T the last turn",
      "R = P - retention * (P - q_T) - efficiency * (T - t*) / maxTurns;   A = z(R over the task's trajectories)",
    ],
    meaning: "Rewards reaching a good result, keeping it, and stopping there.",
    departures: ["Only the abstract was read; both weights are ours. The quality of a turn is its step reward."],
  },
  needs: ["stepRewards"],
  options: {
    retention: option.number(0.5, "price of quality lost after the peak", { least: 0 }),
    efficiency: option.number(0.2, "price of turns after the peak", { least: 0 }),
    maxTurns: option.count(5, "turn limit"),
    ...comparison("raw", "the trajectories of one task"),
  },
  laws: { shift: true, scale: "neither", zeroSum: false },
  example: {
    about: "One rollout loses what it had, one stops in time, one needs a turn more.",
    batch: episodes({
      X: { outcome: 0, steps: [{ reward: 0.4 }, { reward: 0.8 }, { reward: 0.6 }] },
      Y: { outcome: 0, steps: [{ reward: 0.4 }, { reward: 0.8 }] },
      Z: { outcome: 0, steps: [{ reward: 0.4 }, { reward: 0.5 }, { reward: 0.8 }] },
    }),
  },
  compute: (batch, options) => {
    const rewards = trajectoryRewards(batch, options);
    const { advantages, metrics } = trajectoryAdvantages(batch, options, rewards);
    return { terms: { trajectory: { weight: 1, perRow: onRows(batch, advantages) } }, metrics };
  },
});

/** R of each trajectory. */
export function trajectoryRewards(
  batch: IndexedBatch<CreditRow & { readonly reward: number }>,
  options: { readonly retention: number; readonly efficiency: number; readonly maxTurns: number },
): Float64Array {
  return Float64Array.from({ length: batch.index.trajectories }, (_, trajectory) => {
    const qualities = Array.from(stepsOf(batch, trajectory), (at) => entry(batch.rows, at).reward);
    const peak = qualities.reduce((best, quality) => Math.max(best, quality), Number.NEGATIVE_INFINITY);
    const lost = peak - entry(qualities, qualities.length - 1);
    const waste = (qualities.length - 1 - qualities.indexOf(peak)) / options.maxTurns;
    return peak - options.retention * lost - options.efficiency * waste;
  });
}
