/** Sums, means, deviations and quantiles of plain numbers. Exact in the order given; the input is never changed. */
import { EngineError } from "../errors.ts";

/**
 * 0 for an empty list.
 *
 * @example
 * console.log(sum([1, 2, 3])); // 6
 */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let index = 0; index < values.length; index += 1) total += values[index] as number;
  return total;
}

/**
 * NaN for an empty list: a mean of nothing is not 0.
 *
 * @example
 * console.log(mean([1, 2, 3]), mean([])); // 2 NaN
 */
export function mean(values: ArrayLike<number>): number {
  return sum(values) / values.length;
}

/**
 * Population deviation: divides by n.
 *
 * @example
 * console.log(deviation([2, 4])); // 1
 */
export function deviation(values: ArrayLike<number>): number {
  return Math.sqrt(squares(values) / values.length);
}

/**
 * Sample deviation: divides by n - 1; NaN for fewer than two values.
 *
 * @example
 * console.log(sampleDeviation([1, 2, 3])); // 1
 */
export function sampleDeviation(values: ArrayLike<number>): number {
  return values.length < 2 ? Number.NaN : Math.sqrt(squares(values) / (values.length - 1));
}

/**
 * Quantile by linear interpolation between the two nearest ranks: h = (n - 1) q.
 * This is the default of NumPy and R (type 7). NaN for an empty list.
 *
 * @example
 * console.log(quantile([10, 20, 30, 40, 50], 0.25)); // 20
 */
export function quantile(values: ArrayLike<number>, q: number): number {
  if (!(q >= 0 && q <= 1)) {
    throw new EngineError("bad-sample", `Quantile ${q} is outside 0 to 1; use 0.5 for the median.`);
  }
  return sortedQuantile(Float64Array.from(values).sort(), q);
}

/**
 * The middle value; the mean of the middle two for an even number of them, NaN for none.
 *
 * @example
 * console.log(median([1, 9, 2]), median([1, 2, 3, 4])); // 2 2.5
 */
export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

function squares(values: ArrayLike<number>): number {
  const centre = mean(values);
  let total = 0;
  for (let index = 0; index < values.length; index += 1) total += ((values[index] as number) - centre) ** 2;
  return total;
}

/** The same of a list that is already sorted. */
export function sortedQuantile(sorted: Float64Array, q: number): number {
  if (sorted.length === 0) return Number.NaN;
  const rank = (sorted.length - 1) * q;
  const below = Math.floor(rank);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (rank - below) * (high - low);
}
