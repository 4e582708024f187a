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
  return total === 0 ? 1 : (2 * createMatcher(texts, options)(0, 1)) / total;
}

/**
 * Counts the characters in matching blocks of one text against another. It works in buffers of its own, sized by the
 * longest text, so that a comparison allocates nothing.
 */
export function createMatcher(
  texts: EncodedTexts,
  options: SimilarityOptions = {},
): (left: number, right: number) => number {
  const { starts } = texts;
  const search = createBlockSearch(texts, options.autojunk === true);
  // Ranges still to be searched: left from, left to, right from, right to. Each block splits one range into two.
  const pending: number[] = [];
  return (left, right) => {
    const [rightFrom, rightTo] = [starts[right] as number, starts[right + 1] as number];
    search.enter(rightFrom, rightTo);
    pending.push(starts[left] as number, starts[left + 1] as number, rightFrom, rightTo);
    let matched = 0;
    while (pending.length > 0) {
      const [start, end, from, to] = pending.splice(-4) as [number, number, number, number];
      const block = search.find(start, end, from, to);
      matched += block.length;
      if (block.length === 0) continue;
      if (block.left > start && block.right > from) pending.push(start, block.left, from, block.right);
      const [leftEnd, rightEnd] = [block.left + block.length, block.right + block.length];
      if (leftEnd < end && rightEnd < to) pending.push(leftEnd, end, rightEnd, to);
    }
    search.leave();
    return matched;
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
  /** Notes where each character of the right text stands. */
  enter(from: number, to: number): void;
  /** The longest block of left [start, end) in right [from, to); among equals the earliest left, then right. */
  find(start: number, end: number, from: number, to: number): Block;
  leave(): void;
}

/** From this length on, frequent characters may not start a block when `autojunk` is on. */
const JUNK_FROM = 200;

function createBlockSearch({ codes, starts, alphabet }: EncodedTexts, autojunk: boolean): BlockSearch {
  let longest = 0;
  for (let index = 1; index < starts.length; index += 1) {
    longest = Math.max(longest, (starts[index] as number) - (starts[index - 1] as number));
  }
  // last[code]: the last place of a character in the right text; before[place]: the one before it; -1: none.
  const last = new Int32Array(alphabet).fill(-1);
  const before = new Int32Array(longest);
  // runs[place]: matching characters in a row that end there, valid when stamped with the row of the left text.
  const runs = new Int32Array(longest + 1);
  const stamps = new Float64Array(longest + 1);
  let [base, limit, stamp] = [0, 0, 1];

  /** Forgets characters that stand in more places than this. */
  const dropAbove = (most: number): void => {
    const counts = new Map<number, number>();
    for (const code of codes.subarray(base, limit)) counts.set(code, (counts.get(code) ?? 0) + 1);
    for (const [code, count] of counts) if (count > most) last[code] = -1;
  };

  /** Without frequent characters a block may be longer than the run that was found. */
  const extended = ({ left, right, length }: Block, start: number, end: number, from: number, to: number): Block => {
    let [before, after] = [0, length];
    while (left - before > start && right - before > from && codes[left - before - 1] === codes[right - before - 1]) {
      before += 1;
    }
    while (left + after < end && right + after < to && codes[left + after] === codes[right + after]) after += 1;
    return { left: left - before, right: right - before, length: before + after };
  };

  return {
    enter: (from, to) => {
      [base, limit] = [from, to];
      for (let place = from; place < to; place += 1) {
        const code = codes[place] as number;
        before[place - base] = last[code] as number;
        last[code] = place;
      }
      if (autojunk && to - from >= JUNK_FROM) dropAbove(Math.floor((to - from) / 100) + 1);
    },
    find: (start, end, from, to) => {
      // A fresh stamp before the first row, so that no run of an earlier search is continued.
      stamp += 1;
      let [bestRow, bestPlace, best] = [start - 1, from - 1, 0];
      for (let row = start; row < end; row += 1) {
        stamp += 1;
        let place = last[codes[row] as number] as number;
        while (place >= to) place = before[place - base] as number;
        // Downwards, so that the run that ends one place earlier is still that of the row before.
        for (; place >= from; place = before[place - base] as number) {
          const slot = place - base;
          const run = stamps[slot] === stamp - 1 && place > from ? (runs[slot] as number) + 1 : 1;
          runs[slot + 1] = run;
          stamps[slot + 1] = stamp;
          if (run > best || (run === best && bestRow === row)) [bestRow, bestPlace, best] = [row, place, run];
        }
      }
      const block = { left: bestRow - best + 1, right: bestPlace - best + 1, length: best };
      return autojunk ? extended(block, start, end, from, to) : block;
    },
    leave: () => {
      for (let place = base; place < limit; place += 1) last[codes[place] as number] = -1;
    },
  };
}
