/**
 * Text of unknown origin, cut into what may be shown as it is and what must be shown as an escape: control characters,
 * turns of the writing direction, and everything a reader could not see.
 */
export interface TextPart {
  readonly text: string;
  /** What the character is, for those that are shown as an escape. */
  readonly hidden?: string;
}

// Line feed and tab keep their meaning. A variation selector behind an emoji only picks its picture.
const HIDDEN =
  /(?![\n\t])(?!(?<=\p{Emoji})\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]/gu;

const NAMES: Readonly<Record<number, string>> = {
  0x00: "null",
  0x07: "bell",
  0x08: "backspace",
  0x0d: "carriage return",
  0x1b: "escape",
  0x7f: "delete",
  0xad: "soft hyphen",
  0x61c: "Arabic letter mark",
  0x200b: "zero-width space",
  0x200c: "zero-width non-joiner",
  0x200d: "zero-width joiner",
  0x200e: "left-to-right mark",
  0x200f: "right-to-left mark",
  0x2028: "line separator",
  0x2029: "paragraph separator",
  0x202a: "left-to-right embedding",
  0x202b: "right-to-left embedding",
  0x202c: "end of embedding",
  0x202d: "left-to-right override",
  0x202e: "right-to-left override",
  0x2060: "word joiner",
  0x2066: "left-to-right isolate",
  0x2067: "right-to-left isolate",
  0x2068: "first strong isolate",
  0x2069: "end of isolate",
  0xfeff: "byte order mark",
};

export function visibleParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let shown = 0;
  // The line end of Windows is a line end, not a hidden character.
  const source = text.replaceAll("\r\n", "\n");
  for (const match of source.matchAll(HIDDEN)) {
    if (match.index > shown) parts.push({ text: source.slice(shown, match.index) });
    const code = match[0].codePointAt(0) ?? 0;
    parts.push({ text: escapeOf(code), hidden: NAMES[code] ?? "character without a shape" });
    shown = match.index + match[0].length;
  }
  if (shown < source.length) parts.push({ text: source.slice(shown) });
  return parts;
}

/** The same on one line, for places that take plain strings: titles, labels, options. */
export function visibleLine(text: string, most = 200): string {
  const { head, left } = clipText(text, most);
  const line = visibleParts(head)
    .map((part) => part.text)
    .join("")
    .replaceAll(/\s+/g, " ");
  return left === 0 ? line : `${line}…`;
}

/** The first characters of a text, never half of a pair, and how many are left out. */
export function clipText(text: string, most: number): { readonly head: string; readonly left: number } {
  if (text.length <= most) return { head: text, left: 0 };
  const last = text.charCodeAt(most - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
  return { head: text.slice(0, end), left: text.length - end };
}

function escapeOf(code: number): string {
  const digits = code.toString(16).toUpperCase();
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
}
