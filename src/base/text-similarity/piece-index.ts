/**
 * Finds texts that may be similar by exact pieces they must share.
 *
 * A text is cut into one piece more than the insertions and deletions allowed. Each of those can spoil one piece, so at
 * least one piece of the text stands unchanged in any text that is near enough, moved by no more than what was inserted
 * or deleted before it. Looking up every window of the other text therefore misses nothing; equal hashes of different
 * windows only cost time.
 *
 * Moreover one of these unchanged pieces is followed by a piece with at most one insertion or deletion. (With one piece
 * more than changes, count 1 minus the changes of each piece, going round: by the cycle lemma some piece begins only
 * positive sums, so itself has none and it and the next have at most one.) What follows a hit may thus lack one
 * character of the piece and have one of its own; letters as bits of a word tell that without looking at the text.
 */
import type { EncodedTexts } from "./matching-blocks.ts";

export interface PieceIndex {
  /** Adds a text that has at least `indels + 1` characters. */
  add(text: number, indels: number): void;
  /** Calls back for every piece shared; gives up after the budget and returns false. */
  visit(text: number, range: VisitRange, found: (other: number, moved: number) => void): boolean;
}

/** Lengths of the texts that can be near, and how many entries to look at before giving up. */
export interface VisitRange {
  readonly shortest: number;
  readonly longest: number;
  readonly budget: number;
}

export interface PieceIndexOptions {
  /** How many pieces will be added at most. */
  readonly capacity: number;
  /** How far a piece may move between texts that are near. */
  readonly furthest: number;
}

/** Pieces of one width: the lengths of the texts that have them, and the weight of a window's first character. */
interface Width {
  readonly lead: number;
  readonly shortest: number;
  readonly longest: number;
}

const MULTIPLIER = 0x9e3779b1;
/** A chunk is one cache line: the next chunk, the hash, then up to four entries of text, offset and what follows. */
const CHUNK = 16;
const ENTRY = 3;
const ENTRIES_END = 2 + 4 * ENTRY;
/** Follows the last piece, whose next one is the first again: any text may. */
const ANYTHING = -1;
const FIRST_CHUNKS = 1_024;

export function createPieceIndex({ codes, starts }: EncodedTexts, options: PieceIndexOptions): PieceIndex {
  const pieces = createPieces(options);
  // Which hashes occur at all, in bits: most windows of most texts end here.
  const { bits } = pieces;
  const occurring = new Uint8Array(Math.max(1, 2 ** (bits - 1)));
  const bitOf = (hash: number): number => Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) >>> (32 - bits - 2);
  const widths = new Map<number, Width>();

  const hashOf = (from: number, width: number): number => {
    let hash = 0;
    for (let at = from; at < from + width; at += 1)
      hash = (Math.imul(hash, MULTIPLIER) + (codes[at] as number) + 1) | 0;
    return hash;
  };
  const lettersOf = (from: number, to: number): number => {
    let letters = 0;
    for (let at = from; at < to; at += 1) letters |= 1 << (codes[at] as number);
    return letters;
  };

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
        const offset = piece * width;
        const hash = hashOf(from + offset, width);
        const next = from + offset + width;
        const letters = piece === indels ? ANYTHING : lettersOf(next, next + width);
        pieces.insert(hash, text, offset, letters);
        const bit = bitOf(hash);
        occurring[bit >>> 3] = (occurring[bit >>> 3] as number) | (1 << (bit & 7));
      }
    },
    visit: (text, { shortest, longest, budget }, found) => {
      const [from, to] = [starts[text] as number, starts[text + 1] as number];
      let left = budget;
      for (const [width, one] of widths) {
        if (width > to - from || one.longest < shortest || one.shortest > longest) continue;
        let hash = hashOf(from, width);
        for (let at = from; ; at += 1) {
          const bit = bitOf(hash);
          if (((occurring[bit >>> 3] as number) & (1 << (bit & 7))) !== 0) {
            left = pieces.visit(hash, at - from, lettersOf(at + width, Math.min(to, at + 2 * width)), left, found);
            if (left < 0) return false;
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

/** Where pieces stand: by hash and by stretch of the text, so that a frequent piece far away is not even looked at. */
interface Pieces {
  /** Of a hash. */
  readonly bits: number;
  insert(hash: number, text: number, offset: number, letters: number): void;
  /** Goes through the pieces of one hash that stand near enough; returns what is left of the budget. */
  visit(
    hash: number,
    offset: number,
    letters: number,
    budget: number,
    found: (other: number, moved: number) => void,
  ): number;
}

function createPieces({ capacity, furthest }: PieceIndexOptions): Pieces {
  const stretchBits = Math.ceil(Math.log2(furthest + 1));
  const bits = Math.ceil(Math.log2(Math.max(2, capacity)));
  const heads = new Int32Array(2 ** bits).fill(-1);
  let chunks = new Int32Array(CHUNK * FIRST_CHUNKS);
  let used = 0;
  // The upper bits of the product depend on all bits of the hash.
  const slotOf = (hash: number, stretch: number): number =>
    Math.imul(hash ^ (hash >>> 15) ^ Math.imul(stretch, 0x85ebca6b), MULTIPLIER) >>> (32 - bits);

  const insert = (hash: number, text: number, offset: number, letters: number): void => {
    const slot = slotOf(hash, offset >> stretchBits);
    let chunk = heads[slot] as number;
    while (chunk >= 0 && chunks[chunk + 1] !== hash) chunk = chunks[chunk] as number;
    // The newest chunk of a hash is met first, so it is the only one that can have room.
    let place = chunk < 0 ? ENTRIES_END : 2;
    while (place < ENTRIES_END && chunks[chunk + place] !== -1) place += ENTRY;
    if (place === ENTRIES_END) {
      if (used === chunks.length) {
        const grown = new Int32Array(2 * chunks.length);
        grown.set(chunks);
        chunks = grown;
      }
      chunk = used;
      used += CHUNK;
      chunks.fill(-1, chunk, used);
      chunks[chunk] = heads[slot] as number;
      chunks[chunk + 1] = hash;
      heads[slot] = chunk;
      place = 2;
    }
    chunks[chunk + place] = text;
    chunks[chunk + place + 1] = offset;
    chunks[chunk + place + 2] = letters;
  };

  const visit: Pieces["visit"] = (hash, offset, letters, budget, found) => {
    let left = budget;
    const last = (offset + furthest) >> stretchBits;
    for (let stretch = Math.max(0, offset - furthest) >> stretchBits; stretch <= last; stretch += 1) {
      let chunk = heads[slotOf(hash, stretch)] as number;
      for (; chunk >= 0 && left >= 0; chunk = chunks[chunk] as number) {
        if (chunks[chunk + 1] !== hash) continue;
        for (let place = chunk + 2; place < chunk + ENTRIES_END && chunks[place] !== -1; place += ENTRY) {
          left -= 1;
          const follows = chunks[place + 2] as number;
          const lacking = follows & ~letters;
          const extra = letters & ~follows;
          const fits = ((lacking & (lacking - 1)) | (extra & (extra - 1))) === 0 || follows === ANYTHING;
          const moved = offset - (chunks[place + 1] as number);
          if (fits && moved <= furthest && moved >= -furthest) found(chunks[place] as number, moved);
        }
      }
    }
    return left;
  };
  return { bits, insert, visit };
}

/** The multiplier to the power of an exponent, in 32 bits. */
function power(exponent: number): number {
  let result = 1;
  for (let at = 0; at < exponent; at += 1) result = Math.imul(result, MULTIPLIER);
  return result;
}
