/** Fewer seeds have a range, which says little about another seed. */
const ENOUGH_SEEDS = 3;

/**
 * Whether a figure over so many seeds, or differences within them, is shown with an interval. Two values give one on paper,
 * and it may be 0 wide.
 *
 * @example
 * console.log(hasInterval(2), hasInterval(3)); // false true
 */
export function hasInterval(seeds: number): boolean {
  return seeds >= ENOUGH_SEEDS;
}
