/** Rows of different lengths into rectangular micro-batches of few shapes, within a budget of tokens. */
import { bucket } from "./buckets.ts";

export interface MicroBatch {
  readonly rows: number;
  readonly length: number;
  /** Which of the given rows it holds; further rows are padding. */
  readonly members: readonly number[];
}

/** Lengths in steps of an eighth of the next power of two, at least 16: padding wastes at most an eighth or so. */
function lengthBucket(length: number): number {
  let power = 16;
  while (power < length) power *= 2;
  const step = Math.max(16, power / 8);
  return Math.ceil(Math.max(length, 1) / step) * step;
}

/** Longest first, so that neighbours are alike. A micro-batch never runs a single row: numbers would differ. */
export function microBatches(lengths: readonly number[], budgetTokens: number): MicroBatch[] {
  const order = lengths
    .map((_, index) => index)
    .sort((left, right) => (lengths[right] as number) - (lengths[left] as number) || left - right);
  const batches: MicroBatch[] = [];
  for (let at = 0; at < order.length;) {
    const length = lengthBucket(lengths[order[at] as number] as number);
    let rows = 2;
    while (rows * 2 * length <= budgetTokens && rows < 256) rows *= 2;
    const members = order.slice(at, at + rows);
    batches.push({ rows: bucket(Math.max(2, members.length), 2, rows), length, members });
    at += members.length;
  }
  return batches;
}
