/** Numbers of tokens: arrays aligned with the masks of rows, and sums over what is trained. */
import { entry, real } from "./columns.ts";
import type { CreditRow, IndexedBatch } from "./credit.ts";

/** Zeros for each row, aligned with its mask, in one block of memory. */
export function tokenArrays(rows: readonly CreditRow[]): Float64Array[] {
  let total = 0;
  for (const { mask } of rows) total += mask.length;
  const { buffer, BYTES_PER_ELEMENT: bytes } = new Float64Array(total);
  let from = 0;
  return rows.map(({ mask }) => {
    const part = new Float64Array(buffer, from * bytes, mask.length);
    from += mask.length;
    return part;
  });
}

/** The row's number on each of its tokens. */
export function onTokens(rows: readonly CreditRow[], perRow: Float64Array): Float64Array[] {
  const values = tokenArrays(rows);
  for (const [at, row] of values.entries()) row.fill(real(perRow, at));
  return values;
}

export function eachTrained(mask: Uint8Array, visit: (token: number) => void): void {
  for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) visit(token);
}

export function trainedTokens(mask: Uint8Array): number[] {
  const tokens: number[] = [];
  eachTrained(mask, (token) => tokens.push(token));
  return tokens;
}

/** Sum of the trained tokens' values, less those of `minus`. */
export function trainedSum(mask: Uint8Array, values: Float64Array, minus?: Float64Array): number {
  let sum = 0;
  for (let token = 0; token < mask.length; token += 1) {
    if (mask[token] === 1) sum += real(values, token) - (minus === undefined ? 0 : real(minus, token));
  }
  return sum;
}

/** Mean log-probability of the trained tokens of these rows under the policy before the update; 0 without any. */
export function meanLogprob(rows: readonly CreditRow[]): number {
  let [sum, count] = [0, 0];
  for (const { mask, logprobs } of rows) {
    eachTrained(mask, (token) => {
      sum += logprobs?.old?.[token] ?? 0;
      count += 1;
    });
  }
  return count === 0 ? 0 : sum / count;
}

/**
 * Discounted rewards from each trained token on. Masked tokens are skipped without a discount, or stop the return.
 */
export function rewardsToGo(
  { rows }: IndexedBatch,
  rewards: readonly Float64Array[],
  { gamma = 1, resetAtMask = false }: { readonly gamma?: number; readonly resetAtMask?: boolean } = {},
): Float64Array[] {
  const toGo = tokenArrays(rows);
  for (const [at, { mask }] of rows.entries()) {
    const [own, target] = [entry(rewards, at), entry(toGo, at)];
    let later = 0;
    for (let token = mask.length - 1; token >= 0; token -= 1) {
      if (mask[token] === 1) {
        later = real(own, token) + gamma * later;
        target[token] = later;
      } else if (resetAtMask) later = 0;
    }
  }
  return toGo;
}
