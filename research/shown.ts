/** Figures as the tables of the docs have them. */
import type { Interval } from "limbeck/base";

/** A mean with its 95% interval. */
export function shown(value: number, { low, high }: Interval, digits: number): string {
  return `${value.toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
}

/** The same of an estimate of an arena. */
export function shownEstimate(estimate: Interval & { readonly mean: number }): string {
  return shown(estimate.mean, estimate, 3);
}
