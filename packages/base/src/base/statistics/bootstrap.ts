/** Bootstrap intervals: draw the sample again from itself, with replacement, and see how much the statistic moves. */
import { checkOptions, may } from "../options.ts";
import { EngineError } from "../errors.ts";
import type { Rng } from "../rng.ts";
import { tailOf, type Interval } from "./interval.ts";
import { normalCdf, normalQuantile } from "./normal.ts";
import { tQuantile } from "./student-t.ts";
import { mean, sampleDeviation, sortedQuantile } from "./summary.ts";

/**
 * How the spread of the resampled statistics becomes an interval.
 * - percentile: their quantiles. Simple, and too narrow for few values.
 * - expanded: their quantiles, taken further out by what Student's t and n / (n - 1) ask for (Hesterberg 2015).
 * - bca: their quantiles, moved for bias and for a spread that changes with the value (Efron 1987).
 * - studentised: each resample measured in its own standard errors; only for the mean.
 */
export type BootstrapMethod = "percentile" | "expanded" | "bca" | "studentised";

export interface BootstrapOptions {
  readonly rng: Rng;
  /** How many resamples; 2,000 is enough for two digits of a 95% interval. */
  readonly resamples?: number;
  /** Probability that the interval covers. Default: 0.95. */
  readonly confidence?: number;
  /** Default: "expanded": docs/lookup/evaluate.md has the measured coverage of each. */
  readonly method?: BootstrapMethod;
}

export const BOOTSTRAP_CHECKS = {
  resamples: may.count,
  confidence: { kind: "number", above: 0, most: 1 },
} as const;

/**
 * Bootstrap interval of a statistic of numbers. Default: the mean.
 *
 * @example
 * const median = (sample: Float64Array) => sample.toSorted()[Math.floor(sample.length / 2)] ?? 0;
 * const { low, high } = bootstrap([1, 2, 3, 4, 100], { rng: createRng(1), statistic: median });
 * console.log(low, high); // 1 100
 */
export function bootstrap(
  values: ArrayLike<number>,
  options: BootstrapOptions & { readonly statistic?: (sample: Float64Array) => number },
): Interval {
  checkOptions("bootstrap", options, BOOTSTRAP_CHECKS);
  if (options.method === "studentised") {
    if (options.statistic === undefined) return studentised(values, options);
    throw new EngineError("usage", "A studentised bootstrap is of the mean; take bca for another statistic.");
  }
  const { statistic = mean } = options;
  const sample = new Float64Array(values.length);
  return resampled(values.length, options, (indices) => {
    for (let index = 0; index < indices.length; index += 1) sample[index] = values[indices[index] as number] as number;
    return statistic(indices.length === sample.length ? sample : sample.subarray(0, indices.length));
  });
}

/**
 * Bootstrap interval of any statistic of units that belong together: paired seeds, whole curves, tasks with all their
 * tries. The units are drawn, never what is inside them, so that what they share stays shared.
 *
 * @example
 * const share = (tries: readonly number[]) => tries.filter((success) => success === 1).length / tries.length;
 * const tasks = [[1, 0, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]];
 * const { low, high } = bootstrapUnits(tasks, (sample) => share(sample.flat()), { rng: createRng(1) });
 * console.log(low, high); // 0.25 1
 */
export function bootstrapUnits<Unit>(
  units: readonly Unit[],
  statistic: (sample: readonly Unit[]) => number,
  options: Omit<BootstrapOptions, "method"> & { readonly method?: Exclude<BootstrapMethod, "studentised"> },
): Interval {
  checkOptions("bootstrapUnits", options, BOOTSTRAP_CHECKS);
  return resampled(units.length, options, (indices) => statistic(Array.from(indices, (index) => units[index] as Unit)));
}

/**
 * Bootstrap interval of mean(left - right) over pairs: resamples pairs, so that what they share cancels.
 *
 * @example
 * const { difference, low } = pairedBootstrap([0.6, 0.7, 0.9], [0.5, 0.5, 0.6], { rng: createRng(1) });
 * console.log(difference.toFixed(2), low > 0); // 0.20 true
 */
export function pairedBootstrap(
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  options: BootstrapOptions,
): Interval & { readonly difference: number } {
  const differences = pairedDifferences(left, right);
  return { difference: mean(differences), ...bootstrap(differences, options) };
}

/**
 * left - right, pair by pair. Two lists of different length are refused.
 *
 * @example
 * console.log(pairedDifferences([3, 5], [1, 2])); // Float64Array(2) [ 2, 3 ]
 */
export function pairedDifferences(left: ArrayLike<number>, right: ArrayLike<number>): Float64Array {
  if (left.length !== right.length) {
    throw new EngineError("bad-sample", `Pairs need equal lengths; got ${left.length} and ${right.length}.`);
  }
  return Float64Array.from(left, (value, index) => value - (right[index] as number));
}

/** Tail that "expanded" takes for n values: Phi(-sqrt(n / (n - 1)) t). */
export function expandedTail(tail: number, count: number): number {
  if (count < 2) return 0;
  return normalCdf(-Math.sqrt(count / (count - 1)) * tQuantile(1 - tail, count - 1));
}

function resampled(count: number, options: BootstrapOptions, statistic: (indices: Int32Array) => number): Interval {
  const { rng, method = "expanded" } = options;
  const tail = tailOf(options.confidence ?? 0.95);
  checkSample(count);
  const indices = new Int32Array(count);
  const results = new Float64Array(options.resamples ?? 2_000);
  for (let round = 0; round < results.length; round += 1) {
    for (let index = 0; index < count; index += 1) indices[index] = rng.int(count);
    results[round] = statistic(indices);
  }
  results.sort();
  const [low, high] = method === "bca" ? accelerated(count, results, tail, statistic) : plainTails(method, tail, count);
  return { low: sortedQuantile(results, low), high: sortedQuantile(results, high) };
}

function plainTails(method: BootstrapMethod, tail: number, count: number): [number, number] {
  const side = method === "expanded" ? expandedTail(tail, count) : tail;
  return [side, 1 - side];
}

/** Quantiles for BCa: bias from how many resamples lie below the value, acceleration from leaving one out. */
function accelerated(
  count: number,
  results: Float64Array,
  tail: number,
  statistic: (indices: Int32Array) => number,
): [number, number] {
  const value = statistic(Int32Array.from({ length: count }, (_, index) => index));
  // Ties count half: with few values many resamples equal the value itself.
  const below = results.reduce((sum, result) => sum + (result < value ? 1 : result === value ? 0.5 : 0), 0);
  const bias = normalQuantile(Math.min(Math.max(below, 0.5), results.length - 0.5) / results.length);
  const left = Float64Array.from({ length: count }, (_, out) =>
    count === 1 ? value : statistic(Int32Array.from({ length: count - 1 }, (_, at) => (at < out ? at : at + 1))),
  );
  const centre = mean(left);
  const [cubes, squares] = left.reduce<[number, number]>(
    ([cubed, squared], one) => [cubed + (centre - one) ** 3, squared + (centre - one) ** 2],
    [0, 0],
  );
  const acceleration = squares > 0 ? cubes / (6 * squares ** 1.5) : 0;
  const moved = (z: number): number => normalCdf(bias + (bias + z) / (1 - acceleration * (bias + z)));
  return [moved(normalQuantile(tail)), moved(normalQuantile(1 - tail))];
}

function studentised(values: ArrayLike<number>, options: BootstrapOptions): Interval {
  const { rng } = options;
  const tail = tailOf(options.confidence ?? 0.95);
  checkSample(values.length);
  const centre = mean(values);
  const error = sampleDeviation(values) / Math.sqrt(values.length);
  if (!(error > 0)) return { low: centre, high: centre };
  const sample = new Float64Array(values.length);
  const ratios = new Float64Array(options.resamples ?? 2_000);
  for (let round = 0; round < ratios.length; round += 1) {
    for (let index = 0; index < sample.length; index += 1) sample[index] = values[rng.int(values.length)] as number;
    const spread = sampleDeviation(sample) / Math.sqrt(sample.length);
    const distance = mean(sample) - centre;
    // A resample of equal values has no spread of its own: it stands infinitely far out, on its side.
    ratios[round] = spread > 0 ? distance / spread : distance === 0 ? 0 : distance * Number.POSITIVE_INFINITY;
  }
  ratios.sort();
  // Quantiles by the nearest rank outwards: interpolating with an infinite neighbour would give NaN.
  const at = (q: number): number => ratios[Math.round((ratios.length - 1) * q)] as number;
  return { low: centre - at(1 - tail) * error, high: centre - at(tail) * error };
}

function checkSample(count: number): void {
  if (count === 0) throw new EngineError("bad-sample", "Cannot bootstrap an empty list; give at least one value.");
}
