/** Shares: intervals for the proportion of successes, and for the mean of values between 0 and 1. */
import { EngineError } from "../errors.ts";
import { tailOf, type Interval } from "./interval.ts";
import { normalQuantile } from "./normal.ts";
import { mean, sampleDeviation, sum } from "./summary.ts";

/**
 * Wilson score interval for a share of successes; {0, 1} when nothing was tried.
 *
 * @example
 * const { low, high } = wilson(8, 10);
 * console.log(low.toFixed(2), high.toFixed(2)); // 0.49 0.94
 */
export function wilson(successes: number, trials: number, confidence = 0.95): Interval {
  if (!(Number.isInteger(trials) && trials >= 0 && successes >= 0 && successes <= trials)) {
    throw new EngineError(
      "bad-sample",
      `${successes} successes of ${trials} trials is not a share; need 0 <= successes <= trials.`,
    );
  }
  return trials === 0 ? { low: 0, high: 1 } : scoreInterval(successes / trials, trials, confidence);
}

/**
 * Interval for the mean of values between 0 and 1, one a task (a share of several tries, pass@k). Wilson's form with
 * the number of plain trials that would spread as much, n' = m (1 - m) / (s^2 / n), and never fewer than n: values
 * inside 0 to 1 spread at most as much as zeros and ones; and never more than n times `tries`, the tries behind each value.
 * Zeros and ones give the Wilson interval itself, and equal
 * values still give an interval, where a bootstrap would give a point.
 *
 * @example
 * const { mean, low, high } = boundedMean([0.5, 1, 0.75, 1]);
 * console.log([mean, low, high].map((value) => value.toFixed(2))); // [ "0.81", "0.51", "0.95" ]
 */
export function boundedMean(
  values: ArrayLike<number>,
  confidence = 0.95,
  tries = Number.POSITIVE_INFINITY,
): Interval & { readonly mean: number } {
  const centre = mean(values);
  if (values.length === 0) return { mean: centre, low: 0, high: 1 };
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as number;
    if (!(value >= 0 && value <= 1)) {
      throw new EngineError("bad-sample", `Value ${value} at ${index} is outside 0 to 1.`, {
        details: { index, value },
      });
    }
  }
  const spread = sampleDeviation(values) ** 2 / values.length;
  // Equal values leave nothing but rounding; then nothing is known of their spread, and n it is.
  const alike = spread > 1e-18 ? (centre * (1 - centre)) / spread : values.length;
  const trials = Math.max(values.length, Math.min(alike, values.length * tries));
  return { mean: centre, ...scoreInterval(centre, trials, confidence) };
}

/**
 * Interval for the mean of differences between -1 and 1, one a task: the shares of two policies on the same tasks. Agresti
 * and Min (2005): two tasks more, with half a win, half a loss and one draw between them, then mean ± z sqrt(variance / n).
 * So few tasks, or tasks on which nothing differed, still leave doubt.
 *
 * @example
 * const { difference, low, high } = boundedDifference([1, 0, 0, 1, -1, 0]);
 * console.log([difference, low, high].map((value) => value.toFixed(2))); // [ "0.17", "-0.36", "0.61" ]
 */
export function boundedDifference(
  differences: ArrayLike<number>,
  confidence = 0.95,
): Interval & { readonly difference: number } {
  const z = normalQuantile(1 - tailOf(confidence));
  const tasks = differences.length + 2;
  const values = Array.from(differences, (value, index) => {
    if (value >= -1 && value <= 1) return value;
    throw new EngineError("bad-sample", `Difference ${value} at ${index} is outside -1 to 1.`, {
      details: { index, value },
    });
  });
  const centre = sum(values) / tasks;
  const variance = (sum(values.map((value) => value * value)) + 1) / tasks - centre * centre;
  const half = z * Math.sqrt(variance / tasks);
  return { difference: mean(values), low: Math.max(-1, centre - half), high: Math.min(1, centre + half) };
}

/**
 * Newcombe's interval (1998, method 10) for the difference of two shares of different trials, from their Wilson intervals.
 *
 * @example
 * const { difference, low } = shareDifference({ successes: 18, trials: 20 }, { successes: 8, trials: 20 });
 * console.log(difference, low > 0); // 0.5 true
 */
export function shareDifference(
  left: { readonly successes: number; readonly trials: number },
  right: { readonly successes: number; readonly trials: number },
  confidence = 0.95,
): Interval & { readonly difference: number } {
  const [one, other] = [left, right].map(({ successes, trials }) => ({
    share: trials === 0 ? Number.NaN : successes / trials,
    ...wilson(successes, trials, confidence),
  })) as [Interval & { share: number }, Interval & { share: number }];
  const difference = one.share - other.share;
  if (Number.isNaN(difference)) return { difference, low: -1, high: 1 };
  return {
    difference,
    low: difference - Math.hypot(one.share - one.low, other.high - other.share),
    high: difference + Math.hypot(one.high - one.share, other.share - other.low),
  };
}

function scoreInterval(share: number, trials: number, confidence: number): Interval {
  const z = normalQuantile(1 - tailOf(confidence));
  const scale = 1 + (z * z) / trials;
  const centre = (share + (z * z) / (2 * trials)) / scale;
  const half = (z * Math.sqrt((share * (1 - share)) / trials + (z * z) / (4 * trials * trials))) / scale;
  // At the edges the formula is exactly 0 or 1; rounding must not say otherwise.
  return { low: share === 0 ? 0 : centre - half, high: share === 1 ? 1 : centre + half };
}
