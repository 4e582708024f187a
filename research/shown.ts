/** Figures as the tables of the docs have them. */
import { hasInterval } from "../packages/base/src/base/statistics/student-t.ts";
import type { Interval } from "../packages/base/src/base/statistics/interval.ts";

/** A mean with its 95% interval. */
export function shown(value: number, { low, high }: Interval, digits: number): string {
  return `${value.toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
}

/** The same of an estimate of an arena; of too few seeds the mean alone. */
export function shownEstimate(estimate: Interval & { readonly mean: number; readonly seeds: number }): string {
  return hasInterval(estimate.seeds) ? shown(estimate.mean, estimate, 3) : estimate.mean.toFixed(3);
}
