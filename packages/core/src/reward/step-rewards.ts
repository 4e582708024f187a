/** Dense rewards of steps made into one of the episode, and into returns of each step. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { discountedReturns } from "limbeck-base/trajectory/rows";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score } from "limbeck-base/trajectory/trajectory";
import { ownSteps } from "./each-episode.ts";
import { allValues, readEpisodes } from "./read-scores.ts";
import { defineReward, type Award } from "./reward.ts";

const combinations: Readonly<Record<string, (values: readonly number[], gamma: number) => number>> = {
  sum: (values, gamma) => discountedReturns(values, gamma)[0] as number,
  mean: (values) => mean(values),
  max: (values) => values.reduce((best, value) => Math.max(best, value)),
  min: (values) => values.reduce((worst, value) => Math.min(worst, value)),
  last: (values) => values.at(-1) as number,
};

export const stepRewards = defineReward({
  id: "step-rewards",
  info: {
    title: "Step rewards",
    meaning: "The rewards of an episode's steps as one number, and what each step still had ahead of it.",
    paper: "Common practice",
    confidence: "practice",
    formula: [
      "R = sum over t of gamma^t * r_t   (or the mean, the best, the worst, the last)",
      "return of a step: G_t = r_t + gamma * G_(t+1)",
    ],
    departures: ["A branch counts the steps it shares with its parent; returns are given to its own steps only."],
  },
  options: {
    of: option.text("reward", "name of the steps' reward; reward is their own"),
    combine: option.choice("sum", ["sum", "mean", "max", "min", "last"], "how steps become one number"),
    gamma: option.share(1, "discount of the sum and of the returns"),
    unscored: option.choice(
      "unscored",
      ["unscored", "leave-out"],
      "what a step without a score does: no score for the episode, or it is left out",
    ),
    returns: option.flag(false, "also give each step its return"),
  },
  score: (batch, options) => {
    const episodes = readEpisodes(batch);
    return {
      awards: batch.map((trajectory): Award[] => {
        const scores = episodes.scores(trajectory, options.of);
        const values = typeof scores === "string" ? scores : kept(scores, options.unscored);
        if (typeof values === "string") return [{ score: unscored(values) }];
        if (values.length === 0) return [{ score: unscored("it has no scored steps") }];
        const total: Award = {
          score: scored((combinations[options.combine] as (typeof combinations)["sum"])(values, options.gamma)),
        };
        if (!options.returns || values.length !== scores.length) return [total];
        const returns = discountedReturns(values, options.gamma);
        return [total, ...ownSteps(trajectory, [...returns], (value) => ({ score: scored(value) }))];
      }),
    };
  },
});

function kept(scores: readonly Score[], missing: string): readonly number[] | string {
  return allValues(missing === "leave-out" ? scores.filter(({ kind }) => kind === "scored") : scores);
}
