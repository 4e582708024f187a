/** PRE-GRPO: a trajectory earns its best quality and a share of its last, less a little for every turn. */
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
    confidence: "reading",
    source: "a third party's reading of the paper and of its appendix H, arXiv 2605.17969; no code is published",
    formula: [
      "P = max quality over the turns;   E = (T - 1) / (maxTurns - 1) with T turns;   F = 1 where every turn was understood",
      "R = P + retention * q_T - efficiency * E + format * F;   A = z(R over the task's trajectories)",
      "after-peak: R = P - retention * (P - q_T) - efficiency * (turns after the first peak) / maxTurns + format * F",
    ],
    meaning: "Rewards reaching a good result, still having it at the end, and needing few turns.",
    departures: [
      "The quality of a turn is its step reward, from 0 to 1 in the paper. What counts as well formed there is not known.",
      "The published limit is 3 turns; in a longer episode E goes on to grow.",
      "Form after-peak is ours: only turns after the first peak cost. It was the default, with weights 0.5 and 0.2 and a limit of 5.",
    ],
  },
  needs: ["stepRewards"],
  options: {
    form: option.choice("all-turns", ["all-turns", "after-peak"], "which turns cost: all, or those after the peak"),
    retention: option.number(0.25, "weight of the last turn's quality; after-peak: price of what was lost", {
      least: 0,
    }),
    efficiency: option.number(0.025, "price of turns", { least: 0 }),
    maxTurns: option.count(3, "turn limit", 2),
    format: option.number(0.1, "reward of an episode in which every turn was understood", { least: 0 }),
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

export interface PeakOptions {
  readonly form: string;
  readonly retention: number;
  readonly efficiency: number;
  readonly maxTurns: number;
  readonly format: number;
}

/** R of each trajectory. */
export function trajectoryRewards(
  batch: IndexedBatch<CreditRow & { readonly reward: number }>,
  options: PeakOptions,
): Float64Array {
  return Float64Array.from({ length: batch.index.trajectories }, (_, trajectory) => {
    const rows = Array.from(stepsOf(batch, trajectory), (at) => entry(batch.rows, at));
    const qualities = rows.map(({ reward }) => reward);
    const peak = qualities.reduce((best, quality) => Math.max(best, quality), Number.NEGATIVE_INFINITY);
    const last = entry(qualities, qualities.length - 1);
    const form = rows.every(({ valid }) => valid) ? options.format : 0;
    const { retention, efficiency, maxTurns } = options;
    if (options.form === "all-turns")
      return peak + retention * last - (efficiency * (qualities.length - 1)) / (maxTurns - 1) + form;
    const after = qualities.length - 1 - qualities.indexOf(peak);
    return peak - retention * (peak - last) - (efficiency * after) / maxTurns + form;
  });
}
