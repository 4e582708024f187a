/** Every code point that is a letter of some text, for `fc.string({ unit: anyLetter })`. */
import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };

/** What `unit: "binary"` draws, without the table of a million letters that fast-check makes of it in every process. */
export const anyLetter = fc.integer({ min: 0, max: 0x10_ffff - SURROGATES.count }).map(
  (at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count),
  // The way back, by which words such as __proto__ are drawn too.
  (letter) => {
    const point = typeof letter === "string" ? (letter.codePointAt(0) ?? -1) : -1;
    const at = point < SURROGATES.first ? point : point - SURROGATES.count;
    const isLetter = at >= 0 && (point < SURROGATES.first || at >= SURROGATES.first);
    if (!isLetter || String.fromCodePoint(point) !== letter) throw new TypeError("This is not one letter.");
    return at;
  },
);
