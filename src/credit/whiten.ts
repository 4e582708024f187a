/** Batch whitening: (x - mean) / sqrt(variance + 1e-8) over the trained tokens of the whole batch. */
import type { IndexedBatch } from "./batch-index.ts";
import { entry, read } from "./columns.ts";
import type { Term } from "./credit.ts";
import { flag } from "./shared-options.ts";
import { onTokens } from "./tokens.ts";

const EPSILON = 1e-8;

export const whiten = flag(true, "normalise over the trained tokens of the batch");

export interface Whitening {
  readonly mean: number;
  /** 1 / sqrt(unbiased variance + 1e-8). */
  readonly scale: number;
}

/** Undefined for fewer than two tokens: a variance of one value does not exist. */
export function whitening({ rows, index }: IndexedBatch, values: readonly Float64Array[]): Whitening | undefined {
  const count = index.totalTokens;
  if (count < 2) return undefined;
  const total = (of: (value: number) => number): number => {
    let sum = 0;
    for (const [at, { mask }] of rows.entries()) {
      const own = entry(values, at);
      for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) sum += of(read(own, token));
    }
    return sum;
  };
  const mean = total((value) => value) / (count + EPSILON);
  const squares = total((value) => (value - mean) * (value - mean));
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
