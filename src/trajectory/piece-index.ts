/**
 * Finds texts that may be similar by exact pieces they must share.
 *
 * A text is cut into one piece more than the insertions and deletions allowed. Each of those can spoil one piece, so at
 * least one piece of the text stands unchanged in any text that is near enough, moved by no more than what was inserted
 * or deleted before it. Looking up every window of the other text therefore misses nothing; equal hashes of different
 * windows only cost time.
 */
import type { EncodedTexts } from "./matching-blocks.ts";

export interface PieceIndex {
  /** Adds a text that has at least `indels + 1` characters. */
  add(text: number, indels: number): void;
  visit(text: number, range: VisitRange, found: (other: number, moved: number) => void): boolean;
}

/** Lengths of the texts that can be near, and how many entries to look at before giving up. */
export interface VisitRange {
  readonly shortest: number;
  readonly longest: number;
  readonly budget: number;
}

/** Pieces of one width: the lengths of the texts that have them, and the weight of a window's first character. */
interface Width {
  readonly lead: number;
  shortest: number;
  longest: number;
}

const MULTIPLIER = 0x9e3779b1;

export interface PieceIndexOptions {
  /** How many pieces will be added at most. */
  readonly capacity: number;
  /** How far a piece may move between texts that are near. */
  readonly furthest: number;
}

export function createPieceIndex({ codes, starts }: EncodedTexts, options: PieceIndexOptions): PieceIndex {
  const { capacity, furthest } = options;
  // Entries are kept by piece and by stretch of the text, so that a frequent piece far away is not even looked at.
  const stretchBits = Math.ceil(Math.log2(2 * furthest + 1));
  const bits = Math.ceil(Math.log2(Math.max(2, capacity)));
  const heads = new Int32Array(2 ** bits).fill(-1);
  const next = new Int32Array(capacity);
  const hashes = new Int32Array(capacity);
  const texts = new Int32Array(capacity);
  const offsets = new Int32Array(capacity);
  const widths = new Map<number, Width>();
  let used = 0;

  const hashOf = (from: number, width: number): number => {
    let hash = 0;
    for (let at = from; at < from + width; at += 1)
      hash = (Math.imul(hash, MULTIPLIER) + (codes[at] as number) + 1) | 0;
    return hash;
  };
  // The upper bits of the product depend on all bits of the hash.
  const slotOf = (hash: number, stretch: number): number =>
    Math.imul(hash ^ (hash >>> 15) ^ (stretch << 7), MULTIPLIER) >>> (32 - bits);

  return {
    add: (text, indels) => {
      const from = starts[text] as number;
      const length = (starts[text + 1] as number) - from;
      const width = Math.floor(length / (indels + 1));
      const known = widths.get(width);
      widths.set(width, {
        lead: known?.lead ?? power(width - 1),
        shortest: Math.min(known?.shortest ?? length, length),
        longest: Math.max(known?.longest ?? length, length),
      });
      for (let piece = 0; piece <= indels; piece += 1) {
        const hash = hashOf(from + piece * width, width);
        const slot = slotOf(hash, (piece * width) >> stretchBits);
        hashes[used] = hash;
        texts[used] = text;
        offsets[used] = piece * width;
        next[used] = heads[slot] as number;
        heads[slot] = used;
        used += 1;
      }
    },
    visit: (text, { shortest, longest, budget }, found) => {
      const [from, to] = [starts[text] as number, starts[text + 1] as number];
      let left = budget;
      for (const [width, one] of widths) {
        if (width > to - from || one.longest < shortest || one.shortest > longest) continue;
        let hash = hashOf(from, width);
        for (let at = from; ; at += 1) {
          const last = (at - from + furthest) >> stretchBits;
          for (let stretch = Math.max(0, at - from - furthest) >> stretchBits; stretch <= last; stretch += 1) {
            for (let entry = heads[slotOf(hash, stretch)] as number; entry >= 0; entry = next[entry] as number) {
              left -= 1;
              if (left < 0) return false;
              if (hashes[entry] === hash) found(texts[entry] as number, at - from - (offsets[entry] as number));
            }
          }
          if (at + width >= to) break;
          const rest = hash - Math.imul((codes[at] as number) + 1, one.lead);
          hash = (Math.imul(rest, MULTIPLIER) + (codes[at + width] as number) + 1) | 0;
        }
      }
      return true;
    },
  };
}

/** The multiplier to the power of an exponent, in 32 bits. */
function power(exponent: number): number {
  let result = 1;
  for (let at = 0; at < exponent; at += 1) result = Math.imul(result, MULTIPLIER);
  return result;
}
