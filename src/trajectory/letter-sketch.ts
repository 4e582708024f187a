/**
 * A sketch of a text: how many characters of each of 16 classes it has.
 *
 * The sum of the differences of two sketches is at most their insertion and deletion distance, because one insertion
 * or deletion changes one count by one. So a pair whose sketches are further apart than the limit needs no comparison.
 */
import type { EncodedTexts } from "./matching-blocks.ts";

const CLASSES = 16;
const SAMPLE = 1_000;

export interface Sketches {
  /** Whether the sketches of two texts are at most this far apart. */
  near(left: number, right: number, limit: number): boolean;
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
  return {
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
