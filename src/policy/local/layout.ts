/** How the tokens of a micro-batch lie. */

/**
 * First the prefixes of all trees, then the branches, tree by tree. Without a prefix
 * it is a flat batch of `trees` rows with one branch each.
 */
export interface Layout {
  readonly trees: number;
  readonly prefix: number;
  /** Per tree. */
  readonly branches: number;
  /** Of every branch. */
  readonly length: number;
}

/** Where a row lies. */
export interface Member {
  readonly row: number;
  /** Counted over all trees. */
  readonly branch: number;
  /** How many of its tokens are in the prefix of its tree. */
  readonly shared: number;
}

/** Whether rows that begin alike are packed as trees: where it pays, wherever it can be done, or nowhere. */
export type Packing = "auto" | "always" | "never";

/** Estimated time of a layout, in any unit. */
export type Cost = (layout: Layout) => number;

export function tokensOf({ trees, prefix, branches, length }: Layout): number {
  return trees * (prefix + branches * length);
}

/** The place of a row's token among all tokens of the micro-batch. */
export function placeOf({ trees, prefix, branches, length }: Layout, member: Member, position: number): number {
  if (position < member.shared) return Math.floor(member.branch / branches) * prefix + position;
  return trees * prefix + member.branch * length + position - member.shared;
}

/** Lengths in steps of a sixteenth of the next power of two, at least 16: padding wastes at most an eighth or so, and half of that on average. */
export function lengthBucket(length: number): number {
  let power = 16;
  while (power < length) power *= 2;
  const step = Math.max(16, power / 16);
  return Math.ceil(Math.max(length, 1) / step) * step;
}
