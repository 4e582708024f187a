/** Every pair of arms compared over the seeds they share, corrected for the number of pairs. */
import { pairedDifferences } from "./bootstrap.ts";
import type { Interval } from "./interval.ts";
import { holm, simultaneousConfidence } from "./multiple.ts";
import { pairedPermutationTest, signTest, type SignTestResult } from "./paired-tests.ts";
import { tInterval } from "./student-t.ts";

export interface ArmComparison {
  readonly left: string;
  readonly right: string;
  /** Seeds that both have. */
  readonly pairs: number;
  /** Mean of left minus right over those seeds; NaN without any. */
  readonly difference: number;
  /** Student-t interval of this difference alone. */
  readonly interval: Interval;
  /** The same, wide enough for all comparisons to hold together. */
  readonly simultaneous: Interval;
  /** Two-sided, from Student's t. */
  readonly p: number;
  /** After Holm's correction. */
  readonly adjustedP: number;
  readonly permutationP: number;
  readonly sign: SignTestResult;
  /** The arm that is better beyond doubt (adjusted p at most 1 - confidence); null when the data cannot say. */
  readonly better: string | null;
}

export interface CompareArmsOptions {
  readonly confidence?: number;
  /** Compare only with this arm, as with a baseline: fewer comparisons, a smaller correction. */
  readonly against?: string;
}

/**
 * One value for each seed, in the same order in every arm; null where a seed is missing. Differences of values with the
 * same seed cancel what the seed gives both. The test is Student's t: sign flips cannot fall below 2^(1 - n), so with
 * few seeds and many arms they never separate anything; they are reported beside it.
 *
 * @example
 * const [pair] = compareArms({ grpo: [0.6, 0.7, 0.9], gae: [0.5, 0.5, 0.6] });
 * console.log(pair?.pairs, pair?.difference.toFixed(2), pair?.adjustedP.toFixed(2)); // 3 0.20 0.07
 */
export function compareArms(
  arms: Readonly<Record<string, readonly (number | null)[]>>,
  options: CompareArmsOptions = {},
): ArmComparison[] {
  const { confidence = 0.95, against } = options;
  const names = Object.keys(arms);
  const pairs = names.flatMap((left, index) =>
    names.slice(index + 1).flatMap((right): [string, string][] => {
      if (against === undefined || left === against) return [[left, right]];
      return right === against ? [[right, left]] : [];
    }),
  );
  const wide = simultaneousConfidence(confidence, pairs.length);
  const tested = pairs.map(([left, right]) => {
    const differences = sharedDifferences(arms[left] ?? [], arms[right] ?? []);
    return { left, right, differences, t: tInterval(differences, confidence), all: tInterval(differences, wide) };
  });
  const adjusted = holm(tested.map(({ t }) => t.p));
  return tested.map(({ left, right, differences, t, all }, index) => {
    const adjustedP = adjusted[index] as number;
    return {
      left,
      right,
      pairs: differences.length,
      difference: t.mean,
      interval: { low: t.low, high: t.high },
      simultaneous: { low: all.low, high: all.high },
      p: t.p,
      adjustedP,
      permutationP: pairedPermutationTest(differences).p,
      sign: signTest(differences),
      better: adjustedP <= 1 - confidence ? (t.mean > 0 ? left : right) : null,
    };
  });
}

function sharedDifferences(left: readonly (number | null)[], right: readonly (number | null)[]): Float64Array {
  const shared = left.flatMap((value, seed): [number, number][] => {
    const other = right[seed];
    return value === null || other === null || other === undefined ? [] : [[value, other]];
  });
  return pairedDifferences(
    shared.map(([value]) => value),
    shared.map(([, other]) => other),
  );
}
