/** Text of a run in pieces that a page can take. */
import type { LongText } from "../api/base.ts";

/** A page shows this much at once; the rest is asked for. */
const LETTERS = 8_000;

export function longText(text: string, most = LETTERS): LongText {
  if (text.length <= most) return { text, length: text.length, cut: false };
  return { text: whole(text, most), length: text.length, cut: true };
}

export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${whole(text, most - 1)}…`;
}

/** Not through the middle of a surrogate pair. */
function whole(text: string, most: number): string {
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most);
}
