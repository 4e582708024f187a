/** Batch whitening: (x - mean) / sqrt(variance + 1e-8) over the trained tokens of the whole batch. */
import type { CreditRow, IndexedBatch, Term } from "./credit.ts";

const EPSILON = 1e-8;

export interface Whitening {
  readonly mean: number;
  /** 1 / sqrt(unbiased variance + 1e-8). */
  readonly scale: number;
}

/** Undefined for fewer than two tokens: a variance of one value does not exist. */
export function whitening({ rows, index }: IndexedBatch, values: readonly Float64Array[]): Whitening | undefined {
  const count = index.totalTokens;
  if (count < 2) return undefined;
  const mean = trainedSum(rows, values) / (count + EPSILON);
  const variance = ((trainedSquares(rows, values, mean) / (count + EPSILON)) * count) / (count - 1);
  return { mean, scale: 1 / Math.sqrt(variance + EPSILON) };
}

function trainedSum(rows: readonly CreditRow[], values: readonly Float64Array[]): number {
  let sum = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const { mask } = rows[at] as CreditRow;
    const row = values[at] as Float64Array;
    for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) sum += row[token] as number;
  }
  return sum;
}

function trainedSquares(rows: readonly CreditRow[], values: readonly Float64Array[], centre: number): number {
  let sum = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const { mask } = rows[at] as CreditRow;
    const row = values[at] as Float64Array;
    for (let token = 0; token < mask.length; token += 1) {
      const distance = (row[token] as number) - centre;
      if (mask[token] === 1) sum += distance * distance;
    }
  }
  return sum;
}

/** The whitened values as two terms: what was whitened, and what was taken off. */
export function whitenedTerms(
  name: string,
  values: readonly Float64Array[],
  { mean, scale }: Whitening,
): Readonly<Record<string, Term>> {
  return {
    [name]: { weight: scale, perToken: values },
    batchMean: { weight: -scale, perRow: new Float64Array(values.length).fill(mean) },
  };
}
