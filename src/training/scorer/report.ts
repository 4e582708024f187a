/** What a scorer is worth on episodes it has not seen. */
import { mean } from "../../base/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import {
  areaUnderCurve,
  bestOf,
  calibration,
  pairedDifference,
  type CalibrationBin,
  type Candidate,
} from "./measures.ts";

export interface Difference {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface ScorerMeasures {
  readonly episodes: number;
  readonly tasks: number;
  readonly success: number;
  /** At the end of episodes, and in their middle; null where one kind is missing. */
  readonly auc: number | null;
  readonly midAuc: number | null;
  readonly calibrationError: number;
  readonly bins: readonly CalibrationBin[];
  /** Success of the best of n by each way to choose; the groups that have n. */
  readonly bestOf: readonly { readonly n: number; readonly by: Readonly<Record<string, number>> }[];
  /** By how much the scorer's choice beats the others at the largest n, by task, with 95% intervals. */
  readonly beats: Readonly<Record<string, Difference>>;
}

/** With `scores` of each episode after each of its actions. */
export function reportOf(
  trajectories: readonly Trajectory[],
  scores: ReadonlyMap<string, readonly number[]>,
): ScorerMeasures {
  const known = trajectories.flatMap((own) => {
    const chances = scores.get(own.id);
    return chances === undefined || chances.length === 0 || own.success === null
      ? []
      : [{ own, chances, good: Number(own.success) }];
  });
  const labels = known.map(({ good }) => good);
  const ends = known.map(({ chances }) => chances.at(-1) as number);
  const middles = known.map(({ chances }) => chances[Math.floor((chances.length - 1) / 2)] as number);
  const { error, bins } = calibration(ends, labels);
  const ways: Readonly<Record<string, (one: (typeof known)[number]) => number>> = {
    scorer: ({ chances }) => chances.at(-1) as number,
    likelihood: ({ own }) => meanLogprob(own),
    length: ({ own }) => -own.steps.length - tokensOf(own) / 1e6,
    random: () => 0,
  };
  const candidates = (way: string): Candidate[] =>
    known.map((one) => ({ group: one.own.task.id, success: one.good, score: ways[way]?.(one) ?? 0 }));
  const largest = Math.max(1, ...countBy(known.map(({ own }) => own.task.id)).values());
  const sizes = [1, 2, 4, 8, 16].filter((n) => n <= largest);
  const chosen = (way: string, n: number): ReadonlyMap<string, number> => bestOf(candidates(way), n);
  const most = sizes.at(-1) as number;
  return {
    episodes: known.length,
    tasks: new Set(known.map(({ own }) => own.task.id)).size,
    success: mean(labels),
    auc: orNull(areaUnderCurve(ends, labels)),
    midAuc: orNull(areaUnderCurve(middles, labels)),
    calibrationError: error,
    bins,
    bestOf: sizes.map((n) => ({
      n,
      by: Object.fromEntries(Object.keys(ways).map((way) => [way, mean([...chosen(way, n).values()])])),
    })),
    beats: Object.fromEntries(
      Object.keys(ways)
        .filter((way) => way !== "scorer")
        .map((way) => [way, pairedDifference(chosen("scorer", most), chosen(way, most))]),
    ),
  };
}

function orNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Mean log-probability of what the policy itself said. */
function meanLogprob({ streams }: Trajectory): number {
  let [total, count] = [0, 0];
  for (const { mask, logprobs } of streams) {
    for (const [at, own] of mask.entries()) {
      if (own === 0 || logprobs === undefined) continue;
      total += logprobs[at] as number;
      count += 1;
    }
  }
  return count === 0 ? 0 : total / count;
}

function tokensOf({ streams }: Trajectory): number {
  return streams.reduce((all, { mask }) => all + mask.reduce((own, value) => own + value, 0), 0);
}
