/** Texts as arrays of numbers, so that comparing two characters is comparing two numbers. */

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
