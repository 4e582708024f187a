/**
 * Median-centred GRPO: the baseline is the group's median, the scale its median absolute deviation.
 *
 *   A_i = (S_i - med) / (mad + 0.001)      and the median rollout itself is not trained
 */
import { option } from "../base/index.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { answers } from "./examples.ts";
import { firstSteps, rowScores } from "./scores.ts";
import { countTrajectoryOnce, invalidPenalty, singleton } from "./shared-options.ts";

interface McGrpoOptions {
  readonly epsilon: number;
  readonly leastSpread: number;
  readonly clamp: number | null;
  readonly rescale: boolean;
  readonly singleton: string;
}

export const mcGrpo = defineCredit({
  info: {
    title: "MC-GRPO",
    paper: "MC-GRPO: Median-Centered Group Relative Policy Optimization for Small-Rollout Reinforcement Learning",
    confidence: "code",
    formula: [
      "med = lower median of S,   mad = lower median of |S - med|",
      "A_i = (S_i - med) / (max(mad, leastSpread) + epsilon)",
      "the first row that is the median is dropped, so that of G + 1 rollouts G are trained",
    ],
    meaning: "Score minus the group's median, so that few rollouts do not flip signs.",
    departures: [
      "With scores of 0 and 1 mad is usually 0 and published code gives advantages of 1000. Set clamp (5 is fair) or leastSpread (0.1).",
      "Of the two published trainers one multiplies by group size over rows that are not 0. Option rescale.",
      "A group smaller than 3 has no use for a median and falls back to Dr.GRPO.",
    ],
  },
  needs: [],
  options: {
    epsilon: option.number(1e-3, "added to the median absolute deviation", { least: 1e-12 }),
    leastSpread: option.number(0, "smallest median absolute deviation", { least: 0 }),
    clamp: option.limit(null, "largest advantage either way", { least: 0 }),
    rescale: option.flag(false, "multiply by group size over rows that are not 0"),
    dropMedian: option.flag(true, "leave the median rollout out of training"),
    singleton: singleton("raw"),
    countTrajectoryOnce,
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "neither", zeroSum: false },
  example: { about: "Five answers; the third is the median.", batch: answers([1, 0, 0.5, 0.2, 0.8]) },
  compute: (batch, options) => {
    const { index } = batch;
    const scores = rowScores(batch, options.invalidPenalty);
    const counted = options.countTrajectoryOnce ? firstSteps(batch) : undefined;
    const members = membersByTask(batch);
    const advantages = new Float64Array(scores.length);
    const dropped: number[] = [];
    let medianGroups = 0;
    for (const rows of members) {
      const counting = counted === undefined ? rows : rows.filter((at) => counted[at] === 1);
      const median = fillGroup(advantages, scores, rows, counting, options);
      if (median === undefined) continue;
      medianGroups += 1;
      if (!options.dropMedian) continue;
      const own = index.trajectoryOf[median];
      dropped.push(...(counted === undefined ? [median] : rows.filter((at) => index.trajectoryOf[at] === own)));
    }
    for (const at of dropped) advantages[at] = 0;
    return {
      terms: { outcome: { weight: 1, perRow: advantages } },
      metrics: { groups: members.length, medianGroups },
      dropped: dropped.sort((left, right) => left - right),
    };
  },
});

/** Fills the group's advantages and returns the row that is the median, where the group is large enough for one. */
function fillGroup(
  target: Float64Array,
  scores: Float64Array,
  rows: readonly number[],
  counting: readonly number[],
  options: McGrpoOptions,
): number | undefined {
  const values = counting.map((at) => scores[at] as number);
  if (values.length < 3) {
    const alone = values.length === 1;
    const mean = alone ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
    for (const at of rows) target[at] = alone && options.singleton === "zero" ? 0 : (scores[at] as number) - mean;
    return undefined;
  }
  const median = lowerMedian(values);
  const spread = Math.max(lowerMedian(values.map((value) => Math.abs(value - median))), options.leastSpread);
  const raw = (at: number): number => ((scores[at] as number) - median) / (spread + options.epsilon);
  const different = rows.filter((at) => scores[at] !== median).length;
  const factor = options.rescale && different > 0 ? rows.length / different : 1;
  const limit = options.clamp ?? Number.POSITIVE_INFINITY;
  for (const at of rows) target[at] = Math.max(-limit, Math.min(limit, raw(at) * factor));
  return counting.find((at) => scores[at] === median);
}

/** The lower of the two middle values; no averaging. */
export function lowerMedian(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}

function membersByTask({ index }: IndexedBatch): number[][] {
  const members: number[][] = Array.from({ length: index.tasks }, () => []);
  for (let at = 0; at < index.taskOf.length; at += 1) members[index.taskOf[at] as number]?.push(at);
  return members;
}
