/**
 * What a draft model reads of a long context: its beginning, where the task is told, and its end, where the talk is. The middle is left
 * out, in whole blocks, so that what was read stays read until the next block goes.
 */

/** Parts of the budget that the beginning takes, and a block. */
const QUARTER = 4;

/** The tokens of a context of `count` that fit into `most`; all of them where they do. */
export function compressed(tokens: Int32Array, count: number, most: number | undefined): Int32Array {
  if (most === undefined || count <= most) return tokens.subarray(0, count);
  const block = Math.max(1, Math.floor(most / QUARTER));
  const dropped = Math.ceil((count - most) / block) * block;
  const kept = new Int32Array(count - dropped);
  kept.set(tokens.subarray(0, block));
  kept.set(tokens.subarray(block + dropped, count), block);
  return kept;
}
