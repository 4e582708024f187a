/** What a scorer is worth on episodes it has not seen. */
import { mean } from "../../base/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import {
  areaAtEqualDepth,
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
  /** At the end of episodes; null where one kind is missing. */
  readonly auc: number | null;
  /** While they went on: a good and a bad one are compared after as many steps (tokens, where all have one step). */
  readonly midAuc: number | null;
  /** At the end of episodes, and at all places before it. */
  readonly calibrationError: number;
  readonly midCalibrationError: number | null;
  readonly bins: readonly CalibrationBin[];
  /** Success of the best of n by each way to choose; the groups that have n. */
  readonly bestOf: readonly { readonly n: number; readonly by: Readonly<Record<string, number>> }[];
  /** By how much the scorer's choice beats the others at the largest n, by task, with 95% intervals. */
  readonly beats: Readonly<Record<string, Difference>>;
}

/** What a scorer said of an episode. */
export interface EpisodeChances {
  /** While it went on: before each step but the first; of an episode of one step, after each token but the last. */
  readonly middle: readonly number[];
  readonly end: number;
}

/** With what was said of each episode, by its id. */
export function reportOf(
  trajectories: readonly Trajectory[],
  said: ReadonlyMap<string, EpisodeChances>,
): ScorerMeasures {
  const known = trajectories.flatMap((own) => {
    const chances = said.get(own.id);
    return chances === undefined || own.success === null ? [] : [{ own, ...chances, good: Number(own.success) }];
  });
  const labels = known.map(({ good }) => good);
  const ends = known.map(({ end }) => end);
  const { error, bins } = calibration(ends, labels);
  const middle = known.flatMap(({ middle: own, good }) => own.map((chance) => [chance, good] as const));
  const ways: Readonly<Record<string, (one: (typeof known)[number]) => number>> = {
    scorer: ({ end }) => end,
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
    midAuc: orNull(
      areaAtEqualDepth(
        known.map(({ middle: own }) => own),
        labels,
      ),
    ),
    calibrationError: error,
    midCalibrationError: orNull(
      calibration(
        middle.map(([chance]) => chance),
        middle.map(([, good]) => good),
      ).error,
    ),
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
