/**
 * Similarity of two texts by matching blocks (Ratcliff and Obershelp): 2 M / T.
 *
 * T is the length of both texts together. M is found by taking the longest block that both share (the earliest in the
 * first text, then the earliest in the second), and doing the same left and right of it. Lengths count code points.
 * It is not symmetric: where several blocks are equally long, the first text decides.
 */
import { createBlockSearch } from "./block-search.ts";
import { encodeTexts, type EncodedTexts } from "./encoded-texts.ts";

export interface SimilarityOptions {
  /**
   * Python's difflib does this by default, and the published code of GiGPO uses it so: in a second text of
   * 200 characters or more, characters that make up over 1% of it cannot start a block. Default: false, because it
   * makes the figure depend on which letters are frequent.
   */
  readonly autojunk?: boolean;
}

/**
 * Similarity from 0 to 1; two empty texts are equal, hence 1.
 *
 * @example
 * console.log(similarity("open drawer 1", "open drawer 2").toFixed(2)); // 0.92
 */
export function similarity(left: string, right: string, options: SimilarityOptions = {}): number {
  const texts = encodeTexts([left, right]);
  const total = texts.codes.length;
  return total === 0 ? 1 : (2 * createMatcher(texts, options).matched(0, 1)) / total;
}

export interface Matcher {
  /** Characters in matching blocks of text `left` against text `right`. */
  matched(left: number, right: number): number;
  /** Whether at least `wanted` characters match; stops as soon as that is decided. */
  reaches(left: number, right: number, wanted: number): boolean;
}

/** Works in buffers of its own, sized by the longest text, so that a comparison allocates nothing. */
export function createMatcher(texts: EncodedTexts, options: SimilarityOptions = {}): Matcher {
  const { starts } = texts;
  const search = createBlockSearch(texts, options.autojunk === true);
  // Ranges still to be searched: left from, left to, right from, right to. Each block splits one range into two.
  const pending: number[] = [];

  /** Counts until `enough` is reached or `least` is out of reach. */
  const count = (left: number, right: number, enough: number, least: number): number => {
    const [leftFrom, leftTo] = [starts[left] as number, starts[left + 1] as number];
    const [rightFrom, rightTo] = [starts[right] as number, starts[right + 1] as number];
    const block = search.enter(rightFrom, rightTo);
    pending.length = 0;
    pending.push(leftFrom, leftTo, rightFrom, rightTo);
    let matched = 0;
    let possible = Math.min(leftTo - leftFrom, rightTo - rightFrom);
    while (pending.length > 0 && matched < enough && possible >= least) {
      const to = pending.pop() as number;
      const from = pending.pop() as number;
      const end = pending.pop() as number;
      const start = pending.pop() as number;
      search.find(start, end, from, to);
      possible -= Math.min(end - start, to - from);
      if (block.length === 0) continue;
      matched += block.length;
      const before = Math.min(block.left - start, block.right - from);
      const after = Math.min(end - block.left, to - block.right) - block.length;
      possible += block.length + before + after;
      if (before > 0) pending.push(start, block.left, from, block.right);
      if (after > 0) pending.push(block.left + block.length, end, block.right + block.length, to);
    }
    search.leave();
    return matched;
  };

  return {
    matched: (left, right) => count(left, right, Number.POSITIVE_INFINITY, 0),
    reaches: (left, right, wanted) => count(left, right, wanted, wanted) >= wanted,
  };
}
