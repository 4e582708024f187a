/**
 * First-fit clusters of similar texts: each text joins the first cluster whose first text it is similar to, or opens
 * one. The result is that of comparing with every cluster in turn; most comparisons are ruled out beforehand by bounds
 * that cannot be wrong: lengths, pieces that near texts must share, counts of characters, and the longest common
 * subsequence, which is never shorter than the matching blocks together.
 */
import { EngineError } from "../errors.ts";
import { encodeTexts, createMatcher, type EncodedTexts, type SimilarityOptions } from "./matching-blocks.ts";
import { createPieceIndex, type VisitRange } from "./piece-index.ts";

export interface SimilarTextsOptions extends SimilarityOptions {
  /** Least similarity to a cluster's first text. Default: 0.95. */
  readonly threshold?: number;
}

/** An entry of the index costs a cache miss, a sketch in order does not. */
const SCAN_PER_VISIT = 3;
const LEAST_VISITS = 256;
/** When pieces said too little of one text, they will of the next ones. */
const SCANS_AFTER_GIVING_UP = 15;

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
  const numbers = new Map<string, number>();
  const which = texts.map((text) => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, numbers.size);
    return numbers.size - 1;
  });
  const clusters = firstFit(encodeTexts([...numbers.keys()]), threshold, options);
  return Int32Array.from(which, (index) => clusters[index] as number);
}

function firstFit(texts: EncodedTexts, threshold: number, options: SimilarityOptions): Int32Array {
  const count = texts.starts.length - 1;
  const bounds = createSimilarityBounds(texts, threshold);
  const same = createComparison(texts, bounds, options);
  const clusters = new Int32Array(count);
  /** The first text of each cluster, and the cluster of each text that is one. */
  const firsts: number[] = [];
  const index = createPieceIndex(texts, { capacity: bounds.pieces, furthest: bounds.furthest });
  // Texts too short to be cut are compared with everything of a fitting length.
  const uncut: number[] = [];
  const seen = new Int32Array(count).fill(-1);
  const candidates: number[] = [];

  let scans = 0;

  const byPieces = (text: number): number | undefined => {
    candidates.length = 0;
    const budget = LEAST_VISITS + firsts.length / SCAN_PER_VISIT;
    const complete = index.visit(text, bounds.rangeFor(text, budget), (other, moved) => {
      if (seen[other] === text || !bounds.canMove(text, other, moved)) return;
      seen[other] = text;
      if (same.possible(text, other)) candidates.push(clusters[other] as number);
    });
    if (!complete) return undefined;
    for (const other of uncut) if (same.possible(text, other)) candidates.push(clusters[other] as number);
    candidates.sort((left, right) => left - right);
    return candidates.find((one) => same.certain(text, firsts[one] as number)) ?? -1;
  };

  for (let text = 0; text < count; text += 1) {
    // Where pieces say too little (texts of one template, few words), going through the clusters in order is cheaper.
    let cluster = scans > 0 ? undefined : byPieces(text);
    if (cluster === undefined) {
      scans = scans > 0 ? scans - 1 : SCANS_AFTER_GIVING_UP;
      cluster = firsts.findIndex((other) => same.possible(text, other) && same.certain(text, other));
    }
    if (cluster < 0) {
      cluster = firsts.push(text) - 1;
      const indels = bounds.mostIndels(text);
      if (indels < bounds.length(text)) index.add(text, indels);
      else uncut.push(text);
    }
    clusters[text] = cluster;
  }
  return clusters;
}

interface Comparison {
  /** False only when the two cannot be similar; costs a few operations. */
  possible(text: number, other: number): boolean;
  certain(text: number, other: number): boolean;
}

function createComparison(texts: EncodedTexts, bounds: SimilarityBounds, options: SimilarityOptions): Comparison {
  const { codes, starts } = texts;
  const { letters, pairs } = createSketches(texts);
  const isWithin = createIndelTest(codes);
  const matcher = createMatcher(texts, options);
  return {
    possible: (text, other) => {
      const limit = bounds.indels(text, other);
      return limit >= 0 && isNear(letters, CLASSES, text, other, limit);
    },
    certain: (text, other) => {
      const limit = bounds.indels(text, other);
      const [from, to] = [starts[text] as number, starts[text + 1] as number];
      const [otherFrom, otherTo] = [starts[other] as number, starts[other + 1] as number];
      if (!isNear(pairs, PAIR_CLASSES, text, other, PAIRS_PER_INDEL * limit)) return false;
      return isWithin(from, to, otherFrom, otherTo, limit) && matcher.reaches(text, other, bounds.wanted(text, other));
    },
  };
}

/*
 * What a similarity threshold means in whole characters. All bounds follow from one number: the least M for which
 * 2 M / T reaches the threshold, found with the same floating-point comparison that the definition uses.
 */

interface SimilarityBounds {
  length(text: number): number;
  /** Characters that must match. */
  wanted(text: number, other: number): number;
  /** Insertions and deletions that are left when that many match; negative when the lengths alone rule it out. */
  indels(text: number, other: number): number;
  /** The most insertions and deletions between this text and any text similar to it. */
  mostIndels(text: number): number;
  /** Whether a shared piece may stand `moved` characters further right in `text` than in `other`. */
  canMove(text: number, other: number, moved: number): boolean;
  rangeFor(text: number, budget: number): VisitRange;
  /** Pieces that cutting every text takes, one more than its indels each. */
  readonly pieces: number;
  /** No piece is moved further than this between similar texts. */
  readonly furthest: number;
}

function createSimilarityBounds({ starts }: EncodedTexts, threshold: number): SimilarityBounds {
  const lengths = new Int32Array(starts.length - 1);
  for (let text = 0; text < lengths.length; text += 1) {
    lengths[text] = (starts[text + 1] as number) - (starts[text] as number);
  }
  const length = (text: number): number => lengths[text] as number;
  const longestText = lengths.reduce((most, one) => Math.max(most, one), 0);
  const least = new Int32Array(2 * longestText + 1);
  for (let total = 1; total < least.length; total += 1) least[total] = leastMatched(total, threshold);
  const leastOf = (total: number): number => least[total] as number;
  const most = new Map<number, number>();
  const mostOf = (own: number): number => {
    let known = most.get(own);
    if (known === undefined) {
      known = 0;
      const [shortest, longest] = partnerLengths(own, threshold);
      for (let other = shortest; other <= Math.min(longest, longestText) && known < own; other += 1) {
        const wanted = leastOf(own + other);
        if (wanted <= Math.min(own, other)) known = Math.max(known, own + other - 2 * wanted);
      }
      most.set(own, known);
    }
    return known;
  };
  let pieces = 0;
  let furthest = 0;
  for (const own of lengths) {
    pieces += mostOf(own) + 1;
    furthest = Math.max(furthest, mostOf(own));
  }

  return {
    length,
    pieces,
    furthest,
    wanted: (text, other) => leastOf(length(text) + length(other)),
    indels: (text, other) => {
      const [own, its] = [length(text), length(other)];
      const wanted = leastOf(own + its);
      return wanted > own || wanted > its ? -1 : own + its - 2 * wanted;
    },
    mostIndels: (text) => mostOf(length(text)),
    canMove: (text, other, moved) => {
      const [own, its] = [length(text), length(other)];
      const wanted = leastOf(own + its);
      // Moved right by what `text` has before it and `other` has not, which is at most what stays unmatched.
      return moved <= own - wanted && -moved <= its - wanted;
    },
    rangeFor: (text, budget) => {
      const [shortest, longest] = partnerLengths(length(text), threshold);
      return { shortest, longest, budget };
    },
  };
}

/** The least whole M with 2 M / T >= threshold. */
function leastMatched(total: number, threshold: number): number {
  let matched = Math.ceil((threshold * total) / 2);
  while (matched > 0 && (2 * (matched - 1)) / total >= threshold) matched -= 1;
  while ((2 * matched) / total < threshold) matched += 1;
  return matched;
}

/** A text of n characters matches at most n of the other, so the other has at most n (2 - threshold) / threshold. */
function partnerLengths(own: number, threshold: number): [number, number] {
  const factor = (2 - threshold) / threshold;
  return [Math.max(0, Math.floor(own / factor) - 1), Math.ceil(own * factor) + 1];
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

/*
 * A sketch of a text: how many characters of each of 16 classes it has.
 *
 * The sum of the differences of two sketches is at most their insertion and deletion distance, because one insertion
 * or deletion changes one count by one. So a pair whose sketches are further apart than the limit needs no comparison.
 * A second sketch counts pairs of neighbours: one insertion or deletion takes and gives three of them at most.
 */

const CLASSES = 16;
const PAIR_CLASSES = 128;
const PAIRS_PER_INDEL = 3;
const SAMPLE = 1_000;

/** Two counts, text after text: of characters, and of pairs, dearer, which tell texts of the same letters in other words apart. */
interface Sketches {
  readonly letters: Int32Array;
  readonly pairs: Int32Array;
}

function createSketches(texts: EncodedTexts): Sketches {
  const { codes, starts } = texts;
  const classes = spreadOverClasses(texts);
  const hashOf = (at: number): number =>
    Math.imul((codes[at] as number) * 8_191 + (codes[at + 1] as number) + 1, 0x9e3779b1) >>> 16;
  const letters = new Int32Array((starts.length - 1) * CLASSES);
  const pairs = new Int32Array((starts.length - 1) * PAIR_CLASSES);
  for (let text = 0; text + 1 < starts.length; text += 1) {
    const end = starts[text + 1] as number;
    for (let at = starts[text] as number; at < end; at += 1) {
      const letter = text * CLASSES + (classes[codes[at] as number] as number);
      letters[letter] = (letters[letter] as number) + 1;
      if (at + 1 === end) break;
      const pair = text * PAIR_CLASSES + (hashOf(at) % PAIR_CLASSES);
      pairs[pair] = (pairs[pair] as number) + 1;
    }
  }
  return { letters, pairs };
}

/** Whether the counts of two texts, `size` each, differ by at most this much in all. */
function isNear(counts: Int32Array, size: number, left: number, right: number, most: number): boolean {
  const one = left * size;
  const other = right * size;
  let apart = 0;
  for (let at = 0; at < size && apart <= most; at += 4) {
    apart +=
      Math.abs((counts[one + at] as number) - (counts[other + at] as number)) +
      Math.abs((counts[one + at + 1] as number) - (counts[other + at + 1] as number)) +
      Math.abs((counts[one + at + 2] as number) - (counts[other + at + 2] as number)) +
      Math.abs((counts[one + at + 3] as number) - (counts[other + at + 3] as number));
  }
  return apart <= most;
}

/**
 * The class of each character: those whose count varies most from text to text are dealt out first, each to the class
 * that varies least so far. Every assignment is safe; this one tells texts apart that share a template.
 */
function spreadOverClasses({ codes, starts, alphabet }: EncodedTexts): Uint8Array {
  const count = starts.length - 1;
  const stride = Math.max(1, Math.floor(count / SAMPLE));
  const sums = new Float64Array(alphabet);
  const squares = new Float64Array(alphabet);
  const counts = new Int32Array(alphabet);
  let texts = 0;
  for (let text = 0; text < count; text += stride) {
    const [from, to] = [starts[text] as number, starts[text + 1] as number];
    for (let at = from; at < to; at += 1) counts[codes[at] as number] = (counts[codes[at] as number] as number) + 1;
    for (let at = from; at < to; at += 1) {
      const code = codes[at] as number;
      const seen = counts[code] as number;
      sums[code] = (sums[code] as number) + seen;
      squares[code] = (squares[code] as number) + seen * seen;
      counts[code] = 0;
    }
    texts += 1;
  }
  const variance = sums.map((sum, code) => (squares[code] as number) / texts - (sum / texts) ** 2);
  const order = Array.from(variance.keys()).sort((left, right) => {
    return (variance[right] as number) - (variance[left] as number) || left - right;
  });
  const loads = new Float64Array(CLASSES);
  const classes = new Uint8Array(alphabet);
  for (const code of order) {
    const lightest = loads.indexOf(Math.min(...loads));
    classes[code] = lightest;
    loads[lightest] = (loads[lightest] as number) + (variance[code] as number);
  }
  return classes;
}
