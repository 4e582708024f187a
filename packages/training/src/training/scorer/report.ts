/** What a scorer is worth on episodes it has not seen. */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
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
  /**
   * The same in the middle, where episodes do not differ by their end yet: of all of a task that still go on after half
   * of the steps of the longest, which to finish. null where episodes have one step.
   */
  readonly half: HalfMeasures | null;
}

export interface HalfMeasures {
  /** Steps that have been done. */
  readonly after: number;
  /** Tasks with at least two episodes that still go on. */
  readonly tasks: number;
  readonly by: Readonly<Record<string, number>>;
  readonly beats: Readonly<Record<string, Difference>>;
}

/** A scorer's chances for an episode. */
export interface EpisodeChances {
  /** While it went on: before each step but the first; of an episode of one step, after each token but the last. */
  readonly middle: readonly number[];
  readonly end: number;
}

/** With the predictions for each episode, by its id. */
export function reportOf(
  trajectories: readonly Trajectory[],
  chancesOf: ReadonlyMap<string, EpisodeChances>,
): ScorerMeasures {
  const known = trajectories.flatMap((own) => {
    const chances = chancesOf.get(own.id);
    return chances === undefined || own.success === null ? [] : [{ own, ...chances, good: Number(own.success) }];
  });
  const labels = known.map(({ good }) => good);
  const ends = known.map(({ end }) => end);
  const { error, bins } = calibration(ends, labels);
  const middle = known.flatMap(({ middle: own, good }) => own.map((chance) => [chance, good] as const));
  const candidates = (way: string): Candidate[] =>
    known.map((one) => ({ group: one.own.task.id, success: one.good, score: WAYS[way]?.(one) ?? 0 }));
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
      by: Object.fromEntries(Object.keys(WAYS).map((way) => [way, mean([...chosen(way, n).values()])])),
    })),
    beats: beaten((way) => chosen(way, most)),
    half: atHalf(known),
  };
}

interface Known {
  readonly own: Trajectory;
  readonly end: number;
  readonly good: number;
  readonly middle: readonly number[];
}

/** Ways to choose among episodes of a task. */
const WAYS: Readonly<Record<string, (one: Pick<Known, "own" | "end">) => number>> = {
  scorer: ({ end }) => end,
  likelihood: ({ own }) => ownLogprobs(own).mean,
  "least word": ({ own }) => ownLogprobs(own).least,
  length: ({ own }) => -own.steps.length - tokensOf(own) / 1e6,
  random: () => 0,
};

function beaten(chosen: (way: string) => ReadonlyMap<string, number>): Record<string, Difference> {
  return Object.fromEntries(
    Object.keys(WAYS)
      .filter((way) => way !== "scorer")
      .map((way) => [way, pairedDifference(chosen("scorer"), chosen(way))]),
  );
}

function atHalf(known: readonly Known[]): HalfMeasures | null {
  const longest = Math.max(0, ...known.map(({ own }) => own.steps.length));
  const after = Math.floor(longest / 2);
  if (after === 0) return null;
  const open = known
    .filter(({ own, middle }) => own.steps.length > after && middle.length >= after)
    .map((one) => ({ ...one, own: begun(one.own, after), end: one.middle[after - 1] as number }));
  const groups = [...groupedBy(open, ({ own }) => own.task.id)].filter(([, { length }]) => length > 1);
  if (groups.length === 0) return null;
  const chosen = (way: string): Map<string, number> =>
    new Map(
      groups.map(([task, members]) => {
        const worth = members.map((one) => WAYS[way]?.(one) ?? 0);
        const most = Math.max(...worth);
        return [task, mean(members.filter((_, at) => worth[at] === most).map(({ good }) => good))];
      }),
    );
  return {
    after,
    tasks: groups.length,
    by: Object.fromEntries(Object.keys(WAYS).map((way) => [way, mean([...chosen(way).values()])])),
    beats: beaten(chosen),
  };
}

/** The first steps of an episode, with their tokens alone. */
function begun(own: Trajectory, count: number): Trajectory {
  const steps = own.steps.slice(0, count);
  const ends = own.streams.map((_, stream) =>
    Math.max(0, ...steps.map(({ span }) => (span?.stream === stream ? span.end : 0))),
  );
  const streams = own.streams.map(({ ids, mask, logprobs }, at) => ({
    ids: ids.subarray(0, ends[at]),
    mask: mask.subarray(0, ends[at]),
    ...(logprobs === undefined ? {} : { logprobs: logprobs.subarray(0, ends[at]) }),
  }));
  return { ...own, steps, streams };
}

function orNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Mean and least log-probability of the policy's own tokens. */
function ownLogprobs({ streams }: Trajectory): { readonly mean: number; readonly least: number } {
  let [total, count, least] = [0, 0, 0];
  for (const { mask, logprobs } of streams) {
    for (const [at, own] of mask.entries()) {
      if (own === 0 || logprobs === undefined) continue;
      const logprob = logprobs[at] as number;
      total += logprob;
      count += 1;
      least = Math.min(least, logprob);
    }
  }
  return { mean: count === 0 ? 0 : total / count, least };
}

function tokensOf({ streams }: Trajectory): number {
  return streams.reduce((all, { mask }) => all + mask.reduce((own, value) => own + value, 0), 0);
}
