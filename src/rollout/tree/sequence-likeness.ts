/** How alike two token sequences are, in the three ways LATR knows. */

/** Edits that turn one into the other, over the longer length; 0 for equal, 1 for nothing in common. */
export function editDistance(left: readonly number[], right: readonly number[]): number {
  const longest = Math.max(left.length, right.length);
  if (longest === 0) return 0;
  let above = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (const [row, token] of left.entries()) {
    const next = [row + 1];
    for (const [column, other] of right.entries()) {
      const swap = (above[column] as number) + (token === other ? 0 : 1);
      next.push(Math.min(swap, (above[column + 1] as number) + 1, (next[column] as number) + 1));
    }
    above = next;
  }
  return (above[right.length] as number) / longest;
}

/** Tokens that both end with, over the longer length. */
export function suffixMatch(left: readonly number[], right: readonly number[]): number {
  let shared = 0;
  while (shared < Math.min(left.length, right.length) && left.at(-1 - shared) === right.at(-1 - shared)) shared += 1;
  return shared / Math.max(left.length, right.length, 1);
}

/** ROUGE-L: 2 * longest common subsequence / sum of the lengths. */
export function rougeL(left: readonly number[], right: readonly number[]): number {
  let above = Array.from({ length: right.length + 1 }, () => 0);
  for (const token of left) {
    const next = [0];
    for (const [column, other] of right.entries()) {
      const longest =
        token === other ? (above[column] as number) + 1 : Math.max(above[column + 1] as number, next[column] as number);
      next.push(longest);
    }
    above = next;
  }
  return (2 * (above[right.length] as number)) / Math.max(left.length + right.length, 1);
}
