/**
 * Estimators of a Kullback-Leibler divergence from one sampled token, with k = log p - log q and the
 * token drawn from p:
 *
 *   k1 = k    abs = |k|    k2 = k^2 / 2    k3 = exp(-k) + k - 1
 *
 * In k3, -k is held within 20 and the result within 10, so that one stale token cannot outweigh a batch; where either
 * bound holds, the slope is 0. A "+" is the straight-through form: the value of the estimator, the gradient of k2,
 * whose expectation is the gradient of the divergence.
 */
import { option } from "limbeck-base/base/option";
import type { OptionTable } from "limbeck-base/base/option-table";
import { clip, MOST_LOG_RATIO } from "./ratio.ts";

export const KL_ESTIMATORS = ["k1", "abs", "k2", "k3", "k1+", "abs+", "k3+"] as const;
export type KlEstimator = (typeof KL_ESTIMATORS)[number];
const PLAIN = ["k1", "abs", "k2", "k3"] as const;
type Plain = (typeof PLAIN)[number];

/** Of a divergence as a loss, with and without the straight-through forms. */
export const estimatorOption = option.choice("k3", KL_ESTIMATORS, "estimator of the divergence");
export const plainEstimatorOption = { ...estimatorOption, choices: PLAIN } as const satisfies OptionTable[string];

const MOST_K3 = 10;

const VALUES: Readonly<Record<Plain, (k: number) => number>> = {
  k1: (k) => k,
  abs: Math.abs,
  k2: (k) => (k * k) / 2,
  k3: (k) => Math.min(rawK3(k), MOST_K3),
};

const SLOPES: Readonly<Record<Plain, (k: number) => number>> = {
  k1: () => 1,
  abs: Math.sign,
  k2: (k) => k,
  k3: (k) => (Math.abs(k) > MOST_LOG_RATIO || rawK3(k) > MOST_K3 ? 0 : 1 - Math.exp(-k)),
};

/** The value of an estimator; the straight-through forms have that of the plain one. */
export function klValue(estimator: KlEstimator, k: number): number {
  return VALUES[plain(estimator)](k);
}

/** d(value)/dk of the loss; the straight-through forms have the slope of k2. */
export function klSlope(estimator: KlEstimator, k: number): number {
  return isStraightThrough(estimator) ? k : SLOPES[plain(estimator)](k);
}

export function isStraightThrough(estimator: KlEstimator): boolean {
  return estimator.endsWith("+");
}

function plain(estimator: KlEstimator): Plain {
  return estimator.replace("+", "") as Plain;
}

/** exp(-k) - (-k) - 1 loses all digits near 0, where k^2 / 2 is exact to 1e-12. */
function rawK3(k: number): number {
  const negative = clip(-k, -MOST_LOG_RATIO, MOST_LOG_RATIO);
  return Math.abs(negative) < 1e-6 ? (negative * negative) / 2 : Math.exp(negative) - negative - 1;
}
