/** The longest block that two ranges of encoded texts share: the step that matching blocks are made of. */
import type { EncodedTexts } from "./encoded-texts.ts";

/** In absolute positions of the encoded texts; length 0 when nothing matches. */
export interface Block {
  readonly left: number;
  readonly right: number;
  readonly length: number;
}

export interface BlockSearch {
  /** Notes where each character of the right text stands. The block it gives is rewritten by every `find`. */
  enter(from: number, to: number): Block;
  /** The longest block of left [start, end) in right [from, to); among equals the earliest left, then right. */
  find(start: number, end: number, from: number, to: number): void;
  leave(): void;
}

/** From this length on, frequent characters may not start a block when `autojunk` is on. */
const JUNK_FROM = 200;
const PAIR_SLOTS = 4_096;

export function createBlockSearch(texts: EncodedTexts, autojunk: boolean): BlockSearch {
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
