/**
 * A paired comparison that may stop early. Success with and without is looked at a few times, after equal numbers of
 * pairs; each look asks for a larger distance the earlier it comes (O'Brien and Fleming, 1979), so that all looks together
 * are wrong as rarely as one would be.
 *
 *   z = (better - worse) / sqrt(better + worse),   interval = mean ± b_k sqrt(better + worse) / n,   b_k = C sqrt(K / k)
 *
 * Pairs that came out alike say nothing about the direction (McNemar). The spread is that under "no difference": the
 * interval leaves out zero exactly when z passes the bound, and is a little wide otherwise. Bounds are normal
 * approximations; `sequential.test.ts` measures by simulation what they are worth.
 */
import { EngineError } from "../../base/index.ts";
import type { Difference } from "../../skill/library/index.ts";

/** C for two-sided 5%, by the number of looks; Jennison and Turnbull, Group Sequential Methods, table 2.3. */
const BOUNDS: readonly number[] = [1.96, 1.977, 2.004, 2.024, 2.04, 2.053];

export const MOST_LOOKS = BOUNDS.length;

/** The bound of look k (from 1) of `looks`. */
export function boundAt(look: number, looks: number): number {
  const constant = BOUNDS[looks - 1];
  if (constant === undefined || !(Number.isInteger(look) && look >= 1 && look <= looks)) {
    throw new EngineError("bad-option", `Look ${look} of ${looks} is not among 1 to ${MOST_LOOKS} looks.`);
  }
  return constant * Math.sqrt(looks / look);
}

/** One pair: success (1 or 0) with and without; null where an arm could not be scored. */
export type Pair = readonly [withSkill: number | null, without: number | null];

export interface Comparison extends Difference {
  /** Scored in both arms. */
  readonly pairs: number;
  readonly better: number;
  readonly worse: number;
  readonly unscored: number;
}

export function comparePairs(pairs: readonly Pair[], bound: number): Comparison {
  let [better, worse, scored, sum] = [0, 0, 0, 0];
  for (const [left, right] of pairs) {
    if (left === null || right === null) continue;
    scored += 1;
    sum += left - right;
    if (left > right) better += 1;
    if (left < right) worse += 1;
  }
  const unscored = pairs.length - scored;
  if (scored === 0) return { value: 0, low: -1, high: 1, pairs: 0, better, worse, unscored };
  const value = sum / scored;
  // Without a single pair that differs nothing is known of the spread; one imagined pair keeps the interval honest.
  const half = (bound * Math.sqrt(Math.max(1, better + worse))) / scored;
  return {
    value,
    low: Math.max(-1, value - half),
    high: Math.min(1, value + half),
    pairs: scored,
    better,
    worse,
    unscored,
  };
}
