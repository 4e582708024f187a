/** Cutting texts into words, and how many of them two texts share. */

export interface WordOptions {
  /** What a word is, as a global pattern. Default: letters and digits that stand together. */
  readonly pattern?: RegExp;
  /** In lower case. Default: true. */
  readonly lower?: boolean;
  /** Letters of the shortest word that is kept. Default: 1. */
  readonly least?: number;
}

/** The words of a text, in order. */
export function cutWords(
  text: string,
  { pattern = /[\p{L}\p{N}]+/gu, lower = true, least = 1 }: WordOptions = {},
): string[] {
  const words: string[] = (lower ? text.toLowerCase() : text).match(pattern) ?? [];
  return least === 1 ? words : words.filter((word) => word.length >= least);
}

/** Different words, in order of first appearance. */
export function wordSet(text: string, options?: WordOptions): Set<string> {
  return new Set(cutWords(text, options));
}

/** |A and B| / |A or B|; 0 where both are empty. */
export function jaccard(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const both = sharedWords(left, right);
  const either = left.size + right.size - both;
  return either === 0 ? 0 : both / either;
}

/**
 * How many words two texts share, as F1: 1 for two texts without words, 0 where exactly one has none.
 *
 * @example
 * console.log(wordF1("the red mug", "a red mug").toFixed(2)); // 0.67
 */
export function wordF1(text: string, gold: string): number {
  const [own, wanted] = [wordSet(text), wordSet(gold)];
  if (own.size === 0 || wanted.size === 0) return own.size === wanted.size ? 1 : 0;
  return (2 * sharedWords(own, wanted)) / (own.size + wanted.size);
}

function sharedWords(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let both = 0;
  for (const word of left) if (right.has(word)) both += 1;
  return both;
}
