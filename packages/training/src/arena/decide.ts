/**
 * Which arm is better, from one number for each arm and seed. It says no more than the data: differences are taken
 * within seeds, tested with Student's t, and corrected for the number of pairs (Holm), so that among arms that do not
 * differ at all even one false "better" comes up in at most 5 of 100 tournaments.
 */
import { compareArms, type ArmComparison } from "limbeck-base/base/statistics/compare-arms";
import { standings, type StandingsTable } from "limbeck-base/base/statistics/tiers";
import { tQuantile } from "limbeck-base/base/statistics/student-t";

/** By arm: one value for each seed in the same order, null where a run is missing. */
export type Scores = Readonly<Record<string, readonly (number | null)[]>>;

export interface Comparison extends Pick<
  ArmComparison,
  "left" | "right" | "pairs" | "difference" | "interval" | "simultaneous" | "p" | "adjustedP" | "better"
> {
  /** Seeds beyond these that would separate the two if difference and spread stay; null where that is unknown. */
  readonly moreSeeds: number | null;
}

export interface Decision {
  readonly comparisons: readonly Comparison[];
  /** From the best mean to the worst. */
  readonly standings: StandingsTable;
}

const CONFIDENCE = 0.95;
/** More seeds than anybody would run. */
const MOST_SEEDS = 10_000;

/** Against a baseline the others are on the left, so that a positive difference speaks for them. */
export function decide(scores: Scores, baseline: string | null = null): Decision {
  const found = compareArms(scores, { confidence: CONFIDENCE, ...(baseline === null ? {} : { against: baseline }) });
  const comparisons = found.map((one): Comparison => {
    const { left, right, pairs, difference, interval, simultaneous, p, adjustedP, better } =
      one.left === baseline ? turned(one) : one;
    const moreSeeds = better === null ? seedsMissing(one, found.length) : 0;
    return { left, right, pairs, difference, interval, simultaneous, p, adjustedP, better, moreSeeds };
  });
  const better = new Map(comparisons.map((one) => [pairOf(one.left, one.right), one.better]));
  const names = Object.keys(scores).toSorted((left, right) => meanOf(scores[right]) - meanOf(scores[left]));
  return { comparisons, standings: standings(names, (left, right) => better.get(pairOf(left, right)) ?? null) };
}

function turned(one: ArmComparison): ArmComparison {
  const negated = ({ low, high }: ArmComparison["interval"]): ArmComparison["interval"] => ({ low: -high, high: -low });
  return {
    ...one,
    left: one.right,
    right: one.left,
    difference: -one.difference,
    interval: negated(one.interval),
    simultaneous: negated(one.simultaneous),
  };
}

/**
 * With the same mean and spread, the t statistic grows as the root of the number of seeds; this is where it passes its
 * bound, at the level that the correction leaves the most doubtful pair.
 */
export function seedsMissing(
  { pairs, difference, interval }: Pick<ArmComparison, "pairs" | "difference" | "interval">,
  comparisons: number,
): number | null {
  if (pairs < 2 || difference === 0 || Number.isNaN(difference)) return null;
  const half = (interval.high - interval.low) / 2;
  const spread = (half / tQuantile(1 - (1 - CONFIDENCE) / 2, pairs - 1)) * Math.sqrt(pairs);
  const level = (1 - CONFIDENCE) / comparisons;
  const separates = (seeds: number): boolean =>
    spread === 0
      ? 2 ** (1 - seeds) <= level
      : (Math.abs(difference) / spread) * Math.sqrt(seeds) >= tQuantile(1 - level / 2, seeds - 1);
  if (!separates(MOST_SEEDS)) return null;
  let [low, high] = [pairs, MOST_SEEDS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (separates(middle)) high = middle;
    else low = middle;
  }
  return high - pairs;
}

/** Of the runs that are there; an arm without any comes last. */
export function meanOf(values: readonly (number | null)[] | undefined): number {
  const known = (values ?? []).filter((value) => value !== null);
  return known.length === 0 ? Number.NEGATIVE_INFINITY : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function pairOf(left: string, right: string): string {
  return JSON.stringify([left, right].sort());
}
