/** The longest block that two ranges of encoded texts share: the step that matching blocks are made of. */
import type { EncodedTexts } from "./matching-blocks.ts";

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
const STAMP_LIMIT = 2 ** 30;

export function createBlockSearch({ codes, starts, alphabet }: EncodedTexts, autojunk: boolean): BlockSearch {
  let longest = 0;
  for (let index = 1; index < starts.length; index += 1) {
    longest = Math.max(longest, (starts[index] as number) - (starts[index - 1] as number));
  }
  // last[code]: its last place in the right text; before[place]: the place of the same character before it; -1: none.
  const last = new Int32Array(alphabet).fill(-1);
  const before = new Int32Array(longest);
  // runs[place]: length of the common run that ends there, valid when stamped with the row of the left text.
  const runs = new Int32Array(longest + 1);
  const stamps = new Int32Array(longest + 1);
  const block = { left: 0, right: 0, length: 0 };
  let [base, limit] = [0, 0];
  let stamp = 1;

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
      [base, limit] = [from, to];
      for (let place = from; place < to; place += 1) {
        const code = codes[place] as number;
        before[place - from] = last[code] as number;
        last[code] = place;
      }
      if (autojunk && to - from >= JUNK_FROM) dropFrequent(from, to);
      return block;
    },
    find: (start, end, from, to) => {
      block.left = start;
      block.right = from;
      block.length = 0;
      if (stamp > STAMP_LIMIT) {
        stamps.fill(0);
        stamp = 1;
      }
      // A fresh stamp before the first row, so that no run of an earlier search is continued.
      stamp += 1;
      let [bestEnd, bestRight, best] = [0, 0, 0];
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
          if (run > best || (run === best && bestEnd === row)) [bestEnd, bestRight, best] = [row, place, run];
        }
      }
      if (best > 0) {
        block.left = bestEnd - best + 1;
        block.right = bestRight - best + 1;
        block.length = best;
      }
      // Without frequent characters a block may be longer than the run that was found.
      if (autojunk) extend(start, end, from, to);
    },
    leave: () => {
      for (let place = base; place < limit; place += 1) last[codes[place] as number] = -1;
    },
  };

  function dropFrequent(from: number, to: number): void {
    const most = Math.floor((to - from) / 100) + 1;
    for (let place = from; place < to; place += 1) {
      let seen = 0;
      const code = codes[place] as number;
      for (let at = last[code] as number; at >= 0 && seen <= most; at = before[at - from] as number) seen += 1;
      if (seen > most) last[code] = -1;
    }
  }
}
