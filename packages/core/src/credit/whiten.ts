/** Batch whitening: (x - mean) / sqrt(variance + 1e-8) over the trained tokens of the whole batch. */
import { option } from "limbeck-base/base/option";
import { entry, real } from "./columns.ts";
import type { CreditRow, IndexedBatch, Term } from "./credit.ts";
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
  const mean = totals(rows, values, 0).sum / (count + EPSILON);
  const { squares } = totals(rows, values, mean);
  const variance = ((squares / (count + EPSILON)) * count) / (count - 1);
  return { mean, scale: 1 / Math.sqrt(variance + EPSILON) };
}

/** Distances of the trained tokens' values from the centre, and their squares, added up. */
function totals(rows: readonly CreditRow[], values: readonly Float64Array[], centre: number) {
  let sum = 0;
  let squares = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const { mask } = entry(rows, at);
    const own = entry(values, at);
    for (let token = 0; token < mask.length; token += 1) {
      if (mask[token] === 0) continue;
      const distance = real(own, token) - centre;
      sum += distance;
      squares += distance * distance;
    }
  }
  return { sum, squares };
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
