/** What token sequences share at their beginning. */

/** How many leading tokens two sequences share. */
export function commonPrefix(left: ArrayLike<number>, right: ArrayLike<number>): number {
  const limit = Math.min(left.length, right.length);
  let length = 0;
  while (length < limit && left[length] === right[length]) length += 1;
  return length;
}

/** A sequence in sorted order, and how much of it repeats the one before. */
export interface PrefixEntry {
  /** Position in the list that was given. */
  readonly index: number;
  /** Leading tokens shared with the entry before this one; 0 for the first. */
  readonly shared: number;
}

/**
 * Sorts sequences so that those with a common beginning stand together, with the length shared between neighbours.
 * That is a token tree in a flat list: the prefix two entries share is the smallest `shared` between them.
 * Total tokens minus the sum of `shared` is what a packed batch has to compute.
 */
export function commonPrefixes(sequences: readonly ArrayLike<number>[]): PrefixEntry[] {
  const order = sequences.map((_, index) => index);
  order.sort((left, right) => compare(sequences[left] ?? [], sequences[right] ?? []) || left - right);
  return order.map((index, position) => {
    const before = sequences[order[position - 1] ?? -1];
    return { index, shared: before === undefined ? 0 : commonPrefix(before, sequences[index] ?? []) };
  });
}

function compare(left: ArrayLike<number>, right: ArrayLike<number>): number {
  const at = commonPrefix(left, right);
  if (at === left.length || at === right.length) return left.length - right.length;
  return (left[at] as number) - (right[at] as number);
}
