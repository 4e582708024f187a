/** Tests of paired samples that assume no distribution. Both are two-sided. */
import { EngineError } from "../errors.ts";
import { createRng, type Rng } from "../rng.ts";

export interface SignTestResult {
  /** Two-sided p-value of "better is as likely as worse". */
  readonly p: number;
  readonly better: number;
  readonly worse: number;
  readonly equal: number;
}

/**
 * Exact sign test. Equal pairs say nothing and are left out; for successes and failures on the same tasks it is the
 * exact form of McNemar's test. p = min(1, 2 P(X <= min(better, worse))), X binomial(better + worse, 1/2).
 *
 * @example
 * console.log(signTest([1, 1, 1, 0, -1])); // { p: 0.625, better: 3, worse: 1, equal: 1 }
 */
export function signTest(differences: ArrayLike<number>): SignTestResult {
  const signs = Array.from(differences, Math.sign);
  const [better, worse] = [signs.filter((sign) => sign > 0).length, signs.filter((sign) => sign < 0).length];
  const trials = better + worse;
  // In logarithms, for 2^-1100 is no number. C(n, i + 1) = C(n, i) (n - i) / (i + 1).
  let [logWays, below] = [-trials * Math.LN2, 0];
  for (let count = 0; count <= Math.min(better, worse); count += 1) {
    below += Math.exp(logWays);
    logWays += Math.log((trials - count) / (count + 1));
  }
  return { p: Math.min(1, 2 * below), better, worse, equal: signs.length - trials };
}

export interface PermutationTest {
  /** Two-sided p-value of "the sign of each difference could as well be the other". */
  readonly p: number;
  /** Whether every assignment of signs was tried. */
  readonly exact: boolean;
}

/**
 * Paired permutation test of the mean: flips the signs of the differences. Under "both arms are the same" each sign was
 * a coin's, whatever the distribution. All 2^n assignments up to n = 16; beyond, `draws` random ones, with the observed
 * one among them so that p is never 0 and the test keeps its level.
 *
 * @example
 * console.log(pairedPermutationTest([0.1, 0.2, 0.3, 0.4]).p); // 0.125
 */
export function pairedPermutationTest(
  differences: ArrayLike<number>,
  options: { readonly rng?: Rng; readonly draws?: number } = {},
): PermutationTest {
  if (Array.from(differences).some(Number.isNaN))
    throw new EngineError("bad-sample", "A paired difference is not a number.");
  const sizes = Array.from(differences, Math.abs).filter((size) => size > 0);
  const observed = Math.abs(Array.from(differences).reduce((sum, value) => sum + value, 0));
  // Sums of the same numbers in another order differ in their last digits; those must count as equal.
  const reached = observed - 1e-9 * sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length <= 16) return { p: countFlips(sizes, reached) / 2 ** sizes.length, exact: true };
  const { rng = createRng("paired permutation test"), draws = 10_000 } = options;
  let asFar = 1;
  for (let draw = 0; draw < draws; draw += 1) {
    if (Math.abs(sizes.reduce((sum, size) => sum + (rng.int(2) === 0 ? size : -size), 0)) >= reached) asFar += 1;
  }
  return { p: asFar / (draws + 1), exact: false };
}

function countFlips(sizes: readonly number[], reached: number): number {
  let asFar = 0;
  for (let signs = 0; signs < 2 ** sizes.length; signs += 1) {
    let total = 0;
    for (let index = 0; index < sizes.length; index += 1) {
      total += (signs >> index) & 1 ? (sizes[index] as number) : -(sizes[index] as number);
    }
    if (Math.abs(total) >= reached) asFar += 1;
  }
  return asFar;
}
