/** The best that was reached, what is left of it at the end, and how many turns it took (PRE-GRPO). */
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { allValues, readEpisodes } from "./read-scores.ts";
import { defineReward, type Award } from "./reward.ts";

export const peakRetention = defineReward({
  id: "peak-retention",
  info: {
    title: "PRE: peak, retention, efficiency",
    meaning: "Rewards the best quality reached and the last one, less a little for every turn.",
    paper: "Generation Navigator: A State-Aware Agentic Framework for Image Generation (PRE-GRPO)",
    confidence: "reading",
    source: "a third party's reading of the paper and of its appendix H, arXiv 2605.17969; no code is published",
    formula: [
      "P = max q;   E = (T - 1) / (Tmax - 1) with T turns;   F = 1 where every turn was understood",
      "R = P + retention * q_T - efficiency * E + format * F",
      "after-peak: R = P - retention * (P - q_T) - efficiency * (turns after the first peak) / Tmax + format * F",
    ],
    departures: [
      "What counts as well formed in the paper is not known. A turn the world did not understand has quality 0.",
      "In an episode longer than Tmax, E goes on to grow.",
      "Form after-peak is ours: only turns after the first peak cost. It was the default, with weights 0.5 and 0.2.",
    ],
  },
  options: {
    of: option.text("reward", "name of the steps' quality; reward is their own"),
    form: option.choice("all-turns", ["all-turns", "after-peak"], "which turns cost: all, or those after the peak"),
    retention: option.number(0.25, "weight of the last turn's quality; after-peak: price of what was lost", {
      least: 0,
    }),
    efficiency: option.number(0.025, "price of turns", { least: 0 }),
    maxTurns: option.limit(3, "Tmax; none: the longest episode of the batch", { least: 2, whole: true }),
    format: option.number(0.1, "reward of an episode in which every turn was understood", { least: 0 }),
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
        const form = steps.every(({ valid }) => valid) ? options.format : 0;
        return peakAwards(qualities, { ...options, maxTurns }, form);
      }),
    };
  },
});

interface PeakOptions {
  readonly form: string;
  readonly retention: number;
  readonly efficiency: number;
  readonly maxTurns: number;
}

function peakAwards(qualities: readonly number[], options: PeakOptions, form: number): Award[] {
  const { retention, efficiency, maxTurns } = options;
  const peak = qualities.reduce((best, quality) => Math.max(best, quality));
  const last = qualities.at(-1) as number;
  const [drop, others] = [peak - last, qualities.length - 1];
  const isPublished = options.form === "all-turns";
  // A batch of single turns has none to count.
  const waste = isPublished ? others / Math.max(1, maxTurns - 1) : (others - qualities.indexOf(peak)) / maxTurns;
  const kept = isPublished ? retention * last : -retention * drop;
  return [
    { score: scored(peak + kept - efficiency * waste + form) },
    { part: "peak", score: scored(peak) },
    { part: "drop", score: scored(drop) },
    { part: "waste", score: scored(waste) },
  ];
}
