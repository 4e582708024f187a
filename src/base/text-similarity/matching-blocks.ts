/**
 * Similarity of two texts by matching blocks (Ratcliff and Obershelp): 2 M / T.
 *
 * T is the length of both texts together. M is found by taking the longest block that both share (the earliest in the
 * first text, then the earliest in the second), and doing the same left and right of it. Lengths count code points.
 * It is not symmetric: where several blocks are equally long, the first text decides.
 */

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

interface Matcher {
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

// Texts as arrays of numbers, so that comparing two characters is comparing two numbers.

/** Texts as numbers, one after the other; equal characters have equal numbers, counted from 0. */
export interface EncodedTexts {
  readonly codes: Uint32Array;
  /** Where each text begins; one more entry than texts, so that the next beginning is the end. */
  readonly starts: Int32Array;
  readonly alphabet: number;
}

/** Numbers characters by code point in order of first appearance. */
export function encodeTexts(texts: readonly string[]): EncodedTexts {
  const starts = new Int32Array(texts.length + 1);
  const codes = new Uint32Array(texts.reduce((total, text) => total + text.length, 0));
  const numbers = new Map<number, number>();
  let at = 0;
  texts.forEach((text, index) => {
    starts[index] = at;
    for (let unit = 0; unit < text.length; unit += 1) {
      const point = text.codePointAt(unit) as number;
      if (point > 0xffff) unit += 1;
      let code = numbers.get(point);
      if (code === undefined) {
        code = numbers.size;
        numbers.set(point, code);
      }
      codes[at] = code;
      at += 1;
    }
  });
  starts[texts.length] = at;
  return { codes: codes.subarray(0, at), starts, alphabet: numbers.size };
}

// The longest block that two ranges of encoded texts share: the step that matching blocks are made of.

/** In absolute positions of the encoded texts; length 0 when nothing matches. */
interface Block {
  readonly left: number;
  readonly right: number;
  readonly length: number;
}

interface BlockSearch {
  /** Notes where each character of the right text stands. The block it gives is rewritten by every `find`. */
  enter(from: number, to: number): Block;
  /** The longest block of left [start, end) in right [from, to); among equals the earliest left, then right. */
  find(start: number, end: number, from: number, to: number): void;
  leave(): void;
}

/** From this length on, frequent characters may not start a block when `autojunk` is on. */
const JUNK_FROM = 200;
const PAIR_SLOTS = 4_096;

function createBlockSearch(texts: EncodedTexts, autojunk: boolean): BlockSearch {
  const { codes, starts, alphabet } = texts;
  let longest = 0;
  for (let index = 1; index < starts.length; index += 1) {
    longest = Math.max(longest, (starts[index] as number) - (starts[index - 1] as number));
  }
  const letters = createPlaces(codes, longest, { width: 1, slots: alphabet });
  const pairs = createPlaces(codes, longest, { width: 2, slots: PAIR_SLOTS });
  const block = { left: 0, right: 0, length: 0 };

  const extend = (start: number, end: number, from: number, to: number): void => {
    while (block.left > start && block.right > from && codes[block.left - 1] === codes[block.right - 1]) {
      block.left -= 1;
      block.right -= 1;
      block.length += 1;
    }
    while (block.left + block.length < end && block.right + block.length < to) {
      if (codes[block.left + block.length] !== codes[block.right + block.length]) break;
      block.length += 1;
    }
  };

  return {
    enter: (from, to) => {
      letters.enter(from, to);
      if (autojunk && to - from >= JUNK_FROM) letters.dropAbove(Math.floor((to - from) / 100) + 1);
      if (!autojunk) pairs.enter(from, to);
      return block;
    },
    find: (start, end, from, to) => {
      block.left = start;
      block.right = from;
      block.length = 0;
      // Pairs of characters meet far less often than characters; those are needed for blocks of one only.
      if (autojunk) letters.longest(start, end, from, to, block);
      else {
        pairs.longest(start, end, from, to, block);
        if (block.length === 0) letters.longest(start, end, from, to, block);
      }
      // Without frequent characters a block may be longer than the run that was found.
      if (autojunk) extend(start, end, from, to);
    },
    leave: () => {
      letters.leave();
      if (!autojunk) pairs.leave();
    },
  };
}

interface Places {
  enter(from: number, to: number): void;
  /** Forgets windows that stand in more places than this. */
  dropAbove(most: number): void;
  longest(
    start: number,
    end: number,
    from: number,
    to: number,
    block: { -readonly [Key in keyof Block]: number },
  ): void;
  leave(): void;
}

/** Where the windows of one or two characters of the right text stand, and the runs of matching ones. */
function createPlaces(codes: Uint32Array, longest: number, kind: { width: 1 | 2; slots: number }): Places {
  const { width, slots } = kind;
  // last[slot]: the last place of a window; before[place]: the place of the same slot before it; -1: none.
  const last = new Int32Array(slots).fill(-1);
  const before = new Int32Array(longest);
  // runs[place]: matching windows in a row that end there, valid when stamped with the row of the left text.
  const runs = new Int32Array(longest + 1);
  const stamps = new Float64Array(longest + 1);
  let [base, limit, stamp] = [0, 0, 1];

  const slotOf = (place: number): number =>
    width === 1 ? (codes[place] as number) : ((codes[place] as number) * 61 + (codes[place + 1] as number)) % slots;

  return {
    enter: (from, to) => {
      [base, limit] = [from, to - width + 1];
      for (let place = base; place < limit; place += 1) {
        const slot = slotOf(place);
        before[place - base] = last[slot] as number;
        last[slot] = place;
      }
    },
    dropAbove: (most) => {
      for (let place = base; place < limit; place += 1) {
        let seen = 0;
        const slot = slotOf(place);
        for (let at = last[slot] as number; at >= 0 && seen <= most; at = before[at - base] as number) seen += 1;
        if (seen > most) last[slot] = -1;
      }
    },
    longest: (start, end, from, to, block) => {
      // A fresh stamp before the first row, so that no run of an earlier search is continued.
      stamp += 1;
      let [bestRow, bestPlace, best] = [0, 0, 0];
      for (let row = start; row <= end - width; row += 1) {
        stamp += 1;
        let place = last[slotOf(row)] as number;
        while (place > to - width) place = before[place - base] as number;
        // Downwards, so that the run that ends one place earlier is still that of the row before.
        for (; place >= from; place = before[place - base] as number) {
          if (width === 2 && (codes[place] !== codes[row] || codes[place + 1] !== codes[row + 1])) continue;
          const slot = place - base;
          const run = stamps[slot] === stamp - 1 && place > from ? (runs[slot] as number) + 1 : 1;
          runs[slot + 1] = run;
          stamps[slot + 1] = stamp;
          if (run > best || (run === best && bestRow === row)) {
            bestRow = row;
            bestPlace = place;
            best = run;
          }
        }
      }
      if (best === 0) return;
      block.left = bestRow - best + 1;
      block.right = bestPlace - best + 1;
      block.length = best + width - 1;
    },
    leave: () => {
      for (let place = base; place < limit; place += 1) last[slotOf(place)] = -1;
    },
  };
}
