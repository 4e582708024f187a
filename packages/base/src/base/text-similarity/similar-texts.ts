/**
 * First-fit clusters of similar texts: each text joins the first cluster whose first text it is similar to, or opens
 * one. The result is that of comparing with every cluster in turn; most comparisons are ruled out beforehand by bounds
 * that cannot be wrong: lengths, counts of characters, and the longest common subsequence, which is never shorter than
 * the matching blocks together.
 */
import { EngineError } from "../errors.ts";
import { encodeTexts, createMatcher, type EncodedTexts, type SimilarityOptions } from "./matching-blocks.ts";

export interface SimilarTextsOptions extends SimilarityOptions {
  /** Least similarity to a cluster's first text. Default: 0.95. */
  readonly threshold?: number;
}

/** The cluster of each text, numbered in order of appearance. */
export function clusterSimilarTexts(texts: readonly string[], options: SimilarTextsOptions = {}): Int32Array {
  const { threshold = 0.95 } = options;
  if (!(threshold > 0 && threshold <= 1)) {
    throw new EngineError(
      "bad-option",
      `The similarity threshold is ${threshold}; it must be above 0 and at most 1. Use 0.95 for near-equal texts.`,
    );
  }
  // Equal texts share a cluster whatever the threshold, so only different ones are looked at.
  const different = [...new Set(texts)];
  const isSimilar = createComparison(encodeTexts(different), threshold, options);
  const firsts: number[] = [];
  const clusters = new Map(
    different.map((text, at) => {
      const known = firsts.findIndex((first) => isSimilar(at, first));
      return [text, known < 0 ? firsts.push(at) - 1 : known];
    }),
  );
  return Int32Array.from(texts, (text) => clusters.get(text) as number);
}

/**
 * Sketches of a text count its characters, and its pairs of neighbours, in so many classes. An insertion or deletion
 * changes one count of characters by one, and three counts of pairs at most.
 */
const CHARACTERS = 32;
const PAIRS = 128;
const PAIRS_PER_INDEL = 3;

function createComparison(
  texts: EncodedTexts,
  threshold: number,
  options: SimilarityOptions,
): (text: number, other: number) => boolean {
  const { codes, starts } = texts;
  const characters = sketches(starts, CHARACTERS, (at) => codes[at] as number, 1);
  const hash = (at: number): number =>
    Math.imul((codes[at] as number) * 8_191 + (codes[at + 1] as number) + 1, 0x9e3779b1) >>> 16;
  const pairs = sketches(starts, PAIRS, hash, 2);
  const isWithin = createIndelTest(codes);
  const matched = createMatcher(texts, options);
  const least = new Map<number, number>();
  return (text, other) => {
    const [from, to] = [starts[text] as number, starts[text + 1] as number];
    const [otherFrom, otherTo] = [starts[other] as number, starts[other + 1] as number];
    const total = to - from + otherTo - otherFrom;
    let wanted = least.get(total);
    if (wanted === undefined) least.set(total, (wanted = leastMatched(total, threshold)));
    // Insertions and deletions that are left when that many match; the lengths alone may rule it out.
    const limit = total - 2 * wanted;
    return (
      wanted <= Math.min(to - from, otherTo - otherFrom) &&
      isNear(characters, CHARACTERS, text, other, limit) &&
      isNear(pairs, PAIRS, text, other, PAIRS_PER_INDEL * limit) &&
      isWithin(from, to, otherFrom, otherTo, limit) &&
      matched(text, other) >= wanted
    );
  };
}

/** The least whole M with 2 M / T >= threshold, found with the floating-point comparison that the definition uses. */
function leastMatched(total: number, threshold: number): number {
  let matched = Math.ceil((threshold * total) / 2);
  while (matched > 0 && (2 * (matched - 1)) / total >= threshold) matched -= 1;
  while ((2 * matched) / total < threshold) matched += 1;
  return matched;
}

/**
 * Whether two ranges of codes lie within a number of insertions and deletions of each other.
 *
 * The distance is n + m - 2 LCS. Matching blocks are a common subsequence, so M <= LCS, and a pair beyond
 * n + m - 2 M cannot have M characters in matching blocks. Furthest-reaching points along diagonals (Myers 1986), only
 * those from which the end is still within reach, take time in the square of the limit, not of the lengths.
 */
function createIndelTest(
  codes: Uint32Array,
): (left: number, leftEnd: number, right: number, rightEnd: number, limit: number) => boolean {
  let reach = new Int32Array(64);
  return (left, leftEnd, right, rightEnd, limit) => {
    const [rows, columns] = [leftEnd - left, rightEnd - right];
    const goal = rows - columns;
    if (Math.abs(goal) > limit) return false;
    const middle = limit + 1;
    if (reach.length < 2 * middle + 1) reach = new Int32Array(4 * middle);
    reach[middle + 1] = 0;
    for (let edits = 0; edits <= limit; edits += 1) {
      const spare = limit - edits;
      let low = Math.max(-edits, goal - spare);
      if (((low + edits) & 1) === 1) low += 1;
      const high = Math.min(edits, goal + spare);
      for (let diagonal = low; diagonal <= high; diagonal += 2) {
        const at = middle + diagonal;
        const down =
          diagonal === -edits || (diagonal !== edits && (reach[at - 1] as number) < (reach[at + 1] as number));
        let row = down ? (reach[at + 1] as number) : (reach[at - 1] as number) + 1;
        let column = row - diagonal;
        while (row < rows && column < columns && codes[left + row] === codes[right + column]) {
          row += 1;
          column += 1;
        }
        reach[at] = row;
        if (row >= rows && column >= columns) return true;
      }
    }
    return false;
  };
}

/** For each text, one after the other, how many of its windows of `width` characters are in each class. */
function sketches(starts: Int32Array, classes: number, classOf: (at: number) => number, width: number): Int32Array {
  const counts = new Int32Array((starts.length - 1) * classes);
  for (let text = 0; text + 1 < starts.length; text += 1) {
    for (let at = starts[text] as number; at + width <= (starts[text + 1] as number); at += 1) {
      const slot = text * classes + (classOf(at) % classes);
      counts[slot] = (counts[slot] as number) + 1;
    }
  }
  return counts;
}

/** Whether the counts of two texts differ by at most this much in all. */
function isNear(counts: Int32Array, classes: number, left: number, right: number, most: number): boolean {
  const [one, other] = [left * classes, right * classes];
  let apart = 0;
  for (let at = 0; at < classes && apart <= most; at += 1) {
    apart += Math.abs((counts[one + at] as number) - (counts[other + at] as number));
  }
  return apart <= most;
}
