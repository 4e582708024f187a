/** The best that was reached, whether it was kept, and whether the agent then stopped (PRE-GRPO). */
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { allValues, readEpisodes } from "./read-scores.ts";
import { defineReward, type Award } from "./reward.ts";

export const peakRetention = defineReward({
  id: "peak-retention",
  info: {
    title: "PRE: peak, retention, efficiency",
    meaning: "Rewards the best quality reached, less what was lost after it and the turns spent beyond it.",
    paper: "Generation Navigator: A State-Aware Agentic Framework for Image Generation (PRE-GRPO)",
    confidence: "inferred",
    formula: [
      "P = max q, t* = first turn with q = P, T = last turn",
      "R = P - retention * (P - q_T) - efficiency * (T - t*) / Tmax",
    ],
    departures: [
      "The weights are ours; only an abstract was at hand.",
      "A turn the world did not understand has quality 0.",
    ],
  },
  options: {
    of: option.text("reward", "name of the steps' quality; reward is their own"),
    retention: option.number(0.5, "cost of quality lost after the peak", { least: 0 }),
    efficiency: option.number(0.2, "cost of turns after the peak", { least: 0 }),
    maxTurns: option.limit(null, "Tmax; none: the longest episode of the batch", { least: 1, whole: true }),
  },
  score: (batch, options) => {
    const episodes = readEpisodes(batch);
    const longest = batch.reduce((most, trajectory) => {
      const steps = episodes.steps(trajectory);
      return Math.max(most, typeof steps === "string" ? 0 : steps.length);
    }, 1);
    const maxTurns = options.maxTurns ?? longest;
    return {
      awards: batch.map((trajectory): Award[] => {
        const steps = episodes.steps(trajectory);
        const scores = episodes.scores(trajectory, options.of);
        if (typeof steps === "string") return [{ score: unscored(steps) }];
        if (typeof scores === "string") return [{ score: unscored(scores) }];
        const qualities = allValues(scores.map((score, at) => (steps[at]?.valid === false ? scored(0) : score)));
        if (typeof qualities === "string") return [{ score: unscored(qualities) }];
        if (qualities.length === 0) return [{ score: unscored("it has no steps") }];
        return peakAwards(qualities, { ...options, maxTurns });
      }),
    };
  },
});

function peakAwards(
  qualities: readonly number[],
  options: { readonly retention: number; readonly efficiency: number; readonly maxTurns: number },
): Award[] {
  const peak = qualities.reduce((best, quality) => Math.max(best, quality));
  const drop = peak - (qualities.at(-1) as number);
  const waste = (qualities.length - 1 - qualities.indexOf(peak)) / options.maxTurns;
  return [
    { score: scored(peak - options.retention * drop - options.efficiency * waste) },
    { part: "peak", score: scored(peak) },
    { part: "drop", score: scored(drop) },
    { part: "waste", score: scored(waste) },
  ];
}
