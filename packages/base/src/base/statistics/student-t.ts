/** Student's t: its distribution, and the interval and test of a mean that rest on it. */
import { EngineError } from "../errors.ts";
import { tailOf, type Interval } from "./interval.ts";
import { mean, sampleDeviation } from "./summary.ts";

export interface MeanInterval extends Interval {
  readonly mean: number;
  /** Two-sided p-value of "the true mean is 0". */
  readonly p: number;
  readonly count: number;
}

/**
 * mean ± t s / sqrt(n). One value says nothing about its spread: the interval is everything. Equal values would give a
 * point and p = 0, which a few rounded numbers (a success rate over 16 tasks) can produce by chance; then the interval
 * is the point, and p is that of the exact sign test, 2^(1 - n).
 *
 * @example
 * const { mean, low, high, p } = tInterval([1, 2, 3]);
 * console.log([mean, low, high, p].map((value) => value.toFixed(2))); // [ "2.00", "-0.48", "4.48", "0.07" ]
 */
export function tInterval(values: ArrayLike<number>, confidence = 0.95): MeanInterval {
  const count = values.length;
  const centre = mean(values);
  const tail = tailOf(confidence);
  if (count < 2) return { mean: centre, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, p: 1, count };
  const error = sampleDeviation(values) / Math.sqrt(count);
  // Three times 0.1 has a mean that is another double; what rounding leaves is no spread.
  if (error <= 1e-12 * Math.abs(centre)) {
    return { mean: centre, low: centre, high: centre, p: centre === 0 ? 1 : 2 ** (1 - count), count };
  }
  const half = tQuantile(1 - tail, count - 1) * error;
  return { mean: centre, low: centre - half, high: centre + half, p: tTest(centre / error, count - 1), count };
}

/** Two-sided p-value of a t statistic: I_{f / (f + t^2)}(f / 2, 1 / 2). */
export function tTest(t: number, freedom: number): number {
  return regularisedBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/** The t with probability p below it, by bisection to the last digits that matter. tQuantile(0.975, 9) = 2.262157. */
export function tQuantile(p: number, freedom: number): number {
  if (!(p > 0 && p < 1 && freedom > 0)) {
    throw new EngineError("bad-sample", `t quantile needs 0 < p < 1 and freedom > 0; got ${p} and ${freedom}.`);
  }
  if (p === 0.5) return 0;
  const tails = 2 * Math.min(p, 1 - p);
  let [low, high] = [0, 1];
  while (tTest(high, freedom) > tails) high *= 2;
  for (let round = 0; round < 200 && high - low > 1e-13 * high; round += 1) {
    const middle = (low + high) / 2;
    if (tTest(middle, freedom) > tails) low = middle;
    else high = middle;
  }
  return p < 0.5 ? -(low + high) / 2 : (low + high) / 2;
}

/** I_x(a, b), by the continued fraction of the incomplete beta function (Lentz's way of running it forward). */
function regularisedBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast below the mean of the distribution; above it the mirrored one does.
  if (x > (a + 1) / (a + b + 2)) return 1 - regularisedBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  const tiny = 1e-300;
  const away = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let [c, d] = [1, 1 / away(1 - ((a + b) * x) / (a + 1))];
  let value = d;
  for (let m = 1; m <= 500; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return front * value;
}

/** ln Gamma(x), x > 0: Stirling's series after moving x above 10 by Gamma(x + 1) = x Gamma(x). */
function logGamma(x: number): number {
  let [shifted, moved] = [x, 0];
  for (; shifted < 10; shifted += 1) moved += Math.log(shifted);
  const inverse = 1 / (shifted * shifted);
  const series =
    (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / shifted;
  return (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series - moved;
}

/** Fewer seeds have a range, which says little about another seed. */
const ENOUGH_SEEDS = 3;

/**
 * Whether a figure over so many seeds, or differences within them, is shown with an interval. Two values give one on paper,
 * and it may be 0 wide.
 *
 * @example
 * console.log(hasInterval(2), hasInterval(3)); // false true
 */
export function hasInterval(seeds: number): boolean {
  return seeds >= ENOUGH_SEEDS;
}
