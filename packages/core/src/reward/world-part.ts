/** One of the things that the world judges apart, as a reward that a plan can weigh and gate. */
import { isObject } from "limbeck-base/base/json";
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Step } from "limbeck-base/trajectory/trajectory";
import { readEpisodes } from "./read-scores.ts";
import { defineReward, type Award } from "./reward.ts";

const combinations: Readonly<Record<string, (values: readonly number[]) => number>> = {
  last: (values) => values.at(-1) as number,
  mean: (values) => mean(values),
  sum: (values) => values.reduce((total, value) => total + value, 0),
  max: (values) => values.reduce((best, value) => Math.max(best, value)),
  min: (values) => values.reduce((worst, value) => Math.min(worst, value)),
};

export const worldPart = defineReward({
  id: "world-part",
  info: {
    title: "Part of the world's judgement",
    meaning:
      "One of the numbers that the world gives apart at each step, by its name: form, values, mood, a step's rightness.",
    paper: "Our own",
    confidence: "practice",
    formula: ["step t: p_t, where the world gave it", "R = the last p_t   (or the mean, the sum, the best, the worst)"],
    departures: ["A step of which the world said nothing is without a score and counts in no R."],
  },
  options: {
    of: option.text("quality", "name of the part; limbeck envs ID lists those of a world"),
    combine: option.choice("last", ["last", "mean", "sum", "max", "min"], "how steps become one number"),
  },
  score: (batch, { of, combine }) => {
    const episodes = readEpisodes(batch);
    return {
      awards: batch.map((trajectory): Award[] => {
        const steps = episodes.steps(trajectory);
        if (typeof steps === "string") return [{ score: unscored(steps) }];
        const scores = steps.map((step) => partOf(step, of));
        const values = scores.flatMap((score) => (score.kind === "scored" ? [score.value] : []));
        const own = new Set(trajectory.steps.map(({ index }) => index));
        return [
          { score: values.length === 0 ? unscored(missing(steps, of)) : scored(combined(values, combine)) },
          ...steps.flatMap(({ index }, at) => (own.has(index) ? [{ score: scores[at] as Score, step: index }] : [])),
        ];
      }),
    };
  },
});

function combined(values: readonly number[], combine: string): number {
  return (combinations[combine] as (typeof combinations)["last"])(values);
}

function partsOf({ info }: Step): Readonly<Record<string, unknown>> {
  const parts = info?.["parts"];
  return isObject(parts) ? parts : {};
}

function partOf(step: Step, name: string): Score {
  const parts = partsOf(step);
  const value = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (typeof value === "number" && Number.isFinite(value)) return scored(value);
  return unscored(`the world gave no "${name}" at step ${step.index}`);
}

function missing(steps: readonly Step[], name: string): string {
  const known = [...new Set(steps.flatMap((step) => Object.keys(partsOf(step))))];
  const named = known.length === 0 ? "it judges nothing apart" : `it gives ${known.join(", ")}`;
  return `the world gives no part "${name}"; ${named}`;
}
