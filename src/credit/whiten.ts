/** Batch whitening: (x - mean) / sqrt(variance + 1e-8) over the trained tokens of the whole batch. */
import { option } from "../base/index.ts";
import { entry, real } from "./columns.ts";
import type { IndexedBatch, Term } from "./credit.ts";
import { onTokens } from "./tokens.ts";

const EPSILON = 1e-8;

export const whiten = option.flag(true, "normalise over the trained tokens of the batch");

export interface Whitening {
  readonly mean: number;
  /** 1 / sqrt(unbiased variance + 1e-8). */
  readonly scale: number;
}

/** Undefined for fewer than two tokens: a variance of one value does not exist. */
export function whitening({ rows, index }: IndexedBatch, values: readonly Float64Array[]): Whitening | undefined {
  const count = index.totalTokens;
  if (count < 2) return undefined;
  /** Sum of the distances from the centre, or of their squares. */
  const total = (centre: number, power: 1 | 2): number => {
    let sum = 0;
    for (let at = 0; at < rows.length; at += 1) {
      const { mask } = entry(rows, at);
      const own = entry(values, at);
      for (let token = 0; token < mask.length; token += 1) {
        if (mask[token] === 0) continue;
        const distance = real(own, token) - centre;
        sum += power === 1 ? distance : distance * distance;
      }
    }
    return sum;
  };
  const mean = total(0, 1) / (count + EPSILON);
  const squares = total(mean, 2);
  const variance = ((squares / (count + EPSILON)) * count) / (count - 1);
  return { mean, scale: 1 / Math.sqrt(variance + EPSILON) };
}

/**
 * A term, whitened: what was whitened, and what was taken off. One trained token has no variance and stays as it is, and
 * so does a term that is not to be whitened.
 */
export function whitenedTerms(
  batch: IndexedBatch,
  name: string,
  values: Omit<Term, "weight">,
  wanted = true,
): Readonly<Record<string, Term>> {
  const { perToken, perRow } = values;
  const found = wanted ? whitening(batch, perToken ?? onTokens(batch.rows, perRow ?? new Float64Array())) : undefined;
  if (found === undefined) return { [name]: { weight: 1, ...values } };
  return {
    [name]: { weight: found.scale, ...values },
    batchMean: { weight: -found.scale, perRow: new Float64Array(batch.rows.length).fill(found.mean) },
  };
}
