/** Statistics over plain numbers. Everything here is exact in the order given and never changes its input. */
import { EngineError } from "./errors.ts";
import type { Rng } from "./rng.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  readonly rng: Rng;
  /** How many resamples; 2,000 is enough for two digits of a 95% interval. */
  readonly resamples?: number;
  /** Probability that the interval covers; 0.95 unless told. */
  readonly confidence?: number;
}

export function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let index = 0; index < values.length; index += 1) total += values[index] as number;
  return total;
}

/** NaN for an empty list: a mean of nothing is not 0. */
export function mean(values: ArrayLike<number>): number {
  return sum(values) / values.length;
}

/** Population deviation: divides by n. */
export function deviation(values: ArrayLike<number>): number {
  return Math.sqrt(squares(values) / values.length);
}

/** Sample deviation: divides by n - 1; NaN for fewer than two values. */
export function sampleDeviation(values: ArrayLike<number>): number {
  return values.length < 2 ? Number.NaN : Math.sqrt(squares(values) / (values.length - 1));
}

/**
 * Quantile by linear interpolation between the two nearest ranks: h = (n - 1) q.
 * This is the default of NumPy and R (type 7). NaN for an empty list.
 */
export function quantile(values: ArrayLike<number>, q: number): number {
  if (!(q >= 0 && q <= 1)) {
    throw new EngineError("bad-quantile", `Quantile ${q} is outside 0 to 1; use 0.5 for the median.`);
  }
  return sortedQuantile(Float64Array.from(values).sort(), q);
}

export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

/** Wilson score interval for a share of successes; {0, 1} when nothing was tried. */
export function wilson(successes: number, trials: number, confidence = 0.95): Interval {
  if (!(Number.isInteger(trials) && trials >= 0 && successes >= 0 && successes <= trials)) {
    throw new EngineError(
      "bad-share",
      `${successes} successes of ${trials} trials is not a share; need 0 <= successes <= trials.`,
    );
  }
  if (trials === 0) return { low: 0, high: 1 };
  const z = normalQuantile(0.5 + checkConfidence(confidence) / 2);
  const share = successes / trials;
  const scale = 1 + (z * z) / trials;
  const centre = (share + (z * z) / (2 * trials)) / scale;
  const half = (z * Math.sqrt((share * (1 - share)) / trials + (z * z) / (4 * trials * trials))) / scale;
  // At the edges the formula is exactly 0 or 1; rounding must not say otherwise.
  return { low: successes === 0 ? 0 : centre - half, high: successes === trials ? 1 : centre + half };
}

/** Percentile bootstrap interval of a statistic, the mean unless told. */
export function bootstrap(
  values: ArrayLike<number>,
  options: BootstrapOptions & { readonly statistic?: (sample: Float64Array) => number },
): Interval {
  if (values.length === 0)
    throw new EngineError("empty-sample", "Cannot bootstrap an empty list; give at least one value.");
  const { rng, resamples = 2_000, statistic = mean } = options;
  const sample = new Float64Array(values.length);
  const results = new Float64Array(resamples);
  for (let round = 0; round < resamples; round += 1) {
    for (let index = 0; index < sample.length; index += 1) sample[index] = values[rng.int(values.length)] as number;
    results[round] = statistic(sample);
  }
  results.sort();
  const tail = (1 - checkConfidence(options.confidence ?? 0.95)) / 2;
  return { low: sortedQuantile(results, tail), high: sortedQuantile(results, 1 - tail) };
}

/** Bootstrap interval of mean(left - right) over pairs: resamples pairs, so that what they share cancels. */
export function pairedBootstrap(
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  options: BootstrapOptions,
): Interval & { readonly difference: number } {
  if (left.length !== right.length) {
    throw new EngineError("unpaired", `Pairs need equal lengths; got ${left.length} and ${right.length}.`);
  }
  const differences = Float64Array.from(left, (value, index) => value - (right[index] as number));
  return { difference: mean(differences), ...bootstrap(differences, options) };
}

/**
 * Standard normal quantile by Acklam's rational approximation (relative error below 1.2e-9).
 * normalQuantile(0.975) = 1.959964.
 */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new EngineError("bad-quantile", `Normal quantile needs 0 < p < 1; got ${p}.`);
  const tail = Math.min(p, 1 - p);
  if (tail >= 0.024_25) {
    const x = p - 0.5;
    const r = x * x;
    const top = [
      -39.696_830_286_653_76, 220.946_098_424_520_5, -275.928_510_446_968_7, 138.357_751_867_269,
      -30.664_798_066_147_16, 2.506_628_277_459_239,
    ];
    const bottom = [
      -54.476_098_798_224_06, 161.585_836_858_040_9, -155.698_979_859_886_6, 66.801_311_887_719_72,
      -13.280_681_552_885_72, 1,
    ];
    return (horner(top, r) * x) / horner(bottom, r);
  }
  const q = Math.sqrt(-2 * Math.log(tail));
  const top = [
    -0.007_784_894_002_430_293, -0.322_396_458_041_136_5, -2.400_758_277_161_838, -2.549_732_539_343_734,
    4.374_664_141_464_968, 2.938_163_982_698_783,
  ];
  const bottom = [0.007_784_695_709_041_462, 0.322_467_129_070_039_8, 2.445_134_137_142_996, 3.754_408_661_907_416, 1];
  const value = horner(top, q) / horner(bottom, q);
  return p < 0.5 ? value : -value;
}

function horner(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((value, coefficient) => value * x + coefficient, 0);
}

function squares(values: ArrayLike<number>): number {
  const centre = mean(values);
  let total = 0;
  for (let index = 0; index < values.length; index += 1) total += ((values[index] as number) - centre) ** 2;
  return total;
}

function sortedQuantile(sorted: Float64Array, q: number): number {
  if (sorted.length === 0) return Number.NaN;
  const rank = (sorted.length - 1) * q;
  const below = Math.floor(rank);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (rank - below) * (high - low);
}

function checkConfidence(confidence: number): number {
  if (confidence > 0 && confidence < 1) return confidence;
  throw new EngineError("bad-confidence", `Confidence ${confidence} is outside 0 to 1; 0.95 is usual.`);
}
