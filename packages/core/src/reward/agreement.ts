/** How far several judgements of the same things agree. */
import { mean } from "limbeck-base/base/statistics/summary";

/**
 * Krippendorff's alpha for interval data: 1 - observed / expected disagreement, squared differences.
 *
 *   observed = sum over units u of (sum over ordered pairs of (x - y)^2) / (n_u - 1)
 *   expected = (the same sum over pairs of all values) / (n - 1)
 *
 * 1: full agreement; 0: as good as chance. Undefined where fewer than two values can be compared or none of them differ:
 * agreement looks like a judge that always says the same.
 */
export function krippendorffAlpha(units: readonly (readonly number[])[]): number | undefined {
  const pairable = units.filter((values) => values.length >= 2);
  const all = pairable.flat();
  const expected = squaredPairs(all) / (all.length - 1);
  if (all.length < 2 || expected === 0) return undefined;
  const observed = pairable.reduce((sum, values) => sum + squaredPairs(values) / (values.length - 1), 0);
  return 1 - observed / expected;
}

/** 1 where all samples say the same, 0 where half of them say each end of a 0 to 1 scale: 1 - 2 * mean absolute deviation. */
export function sampleAgreement(values: readonly number[]): number {
  const centre = mean(values);
  return 1 - 2 * mean(values.map((value) => Math.abs(value - centre)));
}

/** Sum over ordered pairs of squared differences, by 2 n sum(x^2) - 2 (sum x)^2, from the mean for accuracy. */
function squaredPairs(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const centre = mean(values);
  return 2 * values.length * values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
}
