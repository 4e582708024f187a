/** pass@k: the chance that at least one of k tries solves a task, estimated from n tries of which c did; pass^k: that all do. */
import { EngineError } from "../errors.ts";
import type { Interval } from "./interval.ts";
import { boundedMean } from "./share.ts";

/**
 * Unbiased (Chen et al. 2021): 1 - C(n - c, k) / C(n, k), as a product so that nothing overflows.
 *
 * @example
 * console.log(passAtK(4, 2, 1), passAtK(4, 2, 3)); // 0.5 1
 */
export function passAtK(tries: number, solved: number, k: number): number {
  const whole = [tries, solved, k].every((value) => Number.isInteger(value) && value >= 0);
  if (!whole || k < 1 || k > tries || solved > tries) {
    throw new EngineError(
      "bad-sample",
      `pass@${k} needs 1 <= k <= tries and solved <= tries; got ${solved} of ${tries}.`,
    );
  }
  if (tries - solved < k) return 1;
  let none = 1;
  for (let left = tries - solved + 1; left <= tries; left += 1) none *= 1 - k / left;
  return 1 - none;
}

/** pass^k, the chance that all of k tries solve it: C(c, k) / C(n, k), which is 1 less pass@k of its failures (tau-bench, arXiv 2406.12045). */
export function passToTheK(tries: number, solved: number, k: number): number {
  return 1 - passAtK(tries, tries - solved, k);
}

/**
 * Mean pass@k over tasks, with an interval over tasks (`boundedMean`).
 *
 * @example
 * console.log(meanPassAtK([{ tries: 4, solved: 2 }, { tries: 4, solved: 4 }], 1).mean); // 0.75
 */
export function meanPassAtK(
  tasks: readonly { readonly tries: number; readonly solved: number }[],
  k: number,
  confidence = 0.95,
): Interval & { readonly mean: number } {
  // Tries of a task make so many separate sets of k.
  const sets = Math.max(...tasks.map(({ tries }) => tries / k), 1);
  const values = tasks.map(({ tries, solved }) => passAtK(tries, solved, k));
  return boundedMean(values, confidence, sets);
}
