/** Many comparisons at once: corrected p-values and corrected confidence. */
import { EngineError } from "../errors.ts";

/**
 * Holm's step-down: adjusted p-values, in the order given. Rejecting where p' <= 0.05 keeps the chance of even one false
 * rejection at 0.05, whatever the tests share. p'_(i) = max over j <= i of min(1, (m - j + 1) p_(j)).
 *
 * @example
 * console.log(holm([0.01, 0.04, 0.3])); // [ 0.03, 0.08, 0.3 ]
 */
export function holm(pValues: readonly number[]): number[] {
  const wrong = pValues.find((p) => !(p >= 0 && p <= 1));
  if (wrong !== undefined) throw new EngineError("bad-sample", `${wrong} is no p-value; it must be within 0 to 1.`);
  const order = pValues.map((_, index) => index).sort((a, b) => (pValues[a] as number) - (pValues[b] as number));
  const adjusted = Float64Array.from(pValues);
  let least = 0;
  order.forEach((index, rank) => {
    least = Math.max(least, Math.min(1, (pValues.length - rank) * (pValues[index] as number)));
    adjusted[index] = least;
  });
  return [...adjusted];
}

/**
 * Confidence each of m intervals needs for all of them to cover together (Bonferroni): 1 - (1 - confidence) / m.
 *
 * @example
 * console.log(simultaneousConfidence(0.95, 10).toFixed(3)); // 0.995
 */
export function simultaneousConfidence(confidence: number, comparisons: number): number {
  return 1 - (1 - confidence) / Math.max(1, comparisons);
}
