/** The probability ratio of the current to the old policy, from the difference of log-probabilities; and the logistic function. */
import { option } from "limbeck-base/base/option";
import type { OptionTable } from "limbeck-base/base/option-table";

/** Differences beyond this are held there, so that stale rows give finite losses; the slope is 0 beyond. */
export const MOST_LOG_RATIO = 20;

export function ratioOf(difference: number): number {
  return Math.exp(heldDifference(difference));
}

/** What the metric approximateKl adds up, with the sign turned, where published code holds the difference before it. */
export function heldDifference(difference: number): number {
  return Math.min(Math.max(difference, -MOST_LOG_RATIO), MOST_LOG_RATIO);
}

/** d(ratio)/d(log-probability). */
export function ratioSlope(difference: number): number {
  return Math.abs(difference) > MOST_LOG_RATIO ? 0 : Math.exp(difference);
}

export function clip(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** How far a ratio may fall below 1 and rise above it. */
export const clipOptions = {
  clipLow: option.number(0.2, "how far the ratio may fall below 1", { least: 0 }),
  clipHigh: option.number(0.2, "how far the ratio may rise above 1", { least: 0 }),
} as const satisfies OptionTable;

export function sigmoid(z: number): number {
  return z >= 0 ? 1 / (1 + Math.exp(-z)) : Math.exp(z) / (1 + Math.exp(z));
}

/** log(1 + exp(z)) without overflow; softplus(-z) is -log sigmoid(z). */
export function softplus(z: number): number {
  return Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
}
