/**
 * A sketch of a text: how many characters of each of 16 classes it has.
 *
 * The sum of the differences of two sketches is at most their insertion and deletion distance, because one insertion
 * or deletion changes one count by one. So a pair whose sketches are further apart than the limit needs no comparison.
 * A second sketch counts pairs of neighbours: one insertion or deletion takes and gives three of them at most.
 */
import type { EncodedTexts } from "./encoded-texts.ts";

const CLASSES = 16;
const PAIR_CLASSES = 128;
const PAIRS_PER_INDEL = 3;
const SAMPLE = 1_000;

export interface Sketches {
  /** Whether the sketches of two texts are at most this far apart. */
  near(left: number, right: number, limit: number): boolean;
  /** The same by pairs of neighbours: dearer, and tells texts apart that have the same letters in other words. */
  nearByPairs(left: number, right: number, limit: number): boolean;
}

export function createSketches(texts: EncodedTexts): Sketches {
  const { codes, starts } = texts;
  const count = starts.length - 1;
  const classes = spreadOverClasses(texts);
  const sketches = new Int32Array(count * CLASSES);
  for (let text = 0; text < count; text += 1) {
    const base = text * CLASSES;
    for (let at = starts[text] as number; at < (starts[text + 1] as number); at += 1) {
      const slot = base + (classes[codes[at] as number] as number);
      sketches[slot] = (sketches[slot] as number) + 1;
    }
  }
  const pairs = createPairSketches(texts);
  return {
    nearByPairs: (left, right, limit) => {
      const [one, other] = [left * PAIR_CLASSES, right * PAIR_CLASSES];
      const most = PAIRS_PER_INDEL * limit;
      let apart = 0;
      for (let at = 0; at < PAIR_CLASSES && apart <= most; at += 1) {
        apart += Math.abs((pairs[one + at] as number) - (pairs[other + at] as number));
      }
      return apart <= most;
    },
    near: (left, right, limit) => {
      const [one, other] = [left * CLASSES, right * CLASSES];
      let apart = 0;
      for (let at = 0; at < CLASSES && apart <= limit; at += 4) {
        apart +=
          Math.abs((sketches[one + at] as number) - (sketches[other + at] as number)) +
          Math.abs((sketches[one + at + 1] as number) - (sketches[other + at + 1] as number)) +
          Math.abs((sketches[one + at + 2] as number) - (sketches[other + at + 2] as number)) +
          Math.abs((sketches[one + at + 3] as number) - (sketches[other + at + 3] as number));
      }
      return apart <= limit;
    },
  };
}

function createPairSketches({ codes, starts }: EncodedTexts): Uint16Array {
  const count = starts.length - 1;
  const pairs = new Uint16Array(count * PAIR_CLASSES);
  for (let text = 0; text < count; text += 1) {
    const base = text * PAIR_CLASSES;
    for (let at = starts[text] as number; at + 1 < (starts[text + 1] as number); at += 1) {
      const hash = Math.imul((codes[at] as number) * 8_191 + (codes[at + 1] as number) + 1, 0x9e3779b1);
      const slot = base + ((hash >>> 16) % PAIR_CLASSES);
      // A count that does not fit stays at its most, which only brings two sketches nearer.
      pairs[slot] = Math.min((pairs[slot] as number) + 1, 0xffff);
    }
  }
  return pairs;
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
