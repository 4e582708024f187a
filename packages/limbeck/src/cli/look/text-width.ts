/** How many terminal columns a text takes, and cutting and folding by columns. Give it cleaned, uncoloured text. */

let segmenter: Intl.Segmenter | undefined;

/** Made when a text needs it: its tables are a tenth of what the start of a command costs. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const ZERO = /^(?:\p{Mark}|\p{Join_Control}|\p{Variation_Selector})+$/u;
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
// The blocks that Unicode's East Asian Width calls wide or full-width.
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

export function textWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

/** The text itself when it fits, otherwise its beginning and `…`. */
export function truncate(text: string, columns: number): string {
  if (columns <= 0) return "";
  // A text of a million characters must not be measured to be cut to 40; two columns a character is the most there is.
  if (text.length <= columns * 2 && textWidth(text) <= columns) return text;
  const head = takeColumns(text, columns);
  if (head.length === text.length) return text;
  return `${takeColumns(text, columns - 1)}…`;
}

/** The longest beginning that fits. */
export function takeColumns(text: string, columns: number): string {
  // No grapheme that people write is longer than this; it bounds the work on a very long line.
  const window = text.slice(0, columns * 16 + 64);
  if (PRINTABLE_ASCII.test(window)) return window.slice(0, columns);
  let width = 0;
  let end = 0;
  for (const { segment, index } of graphemesOf(window)) {
    width += graphemeWidth(segment);
    if (width > columns) return window.slice(0, end);
    end = index + segment.length;
  }
  return window.slice(0, end);
}

export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - textWidth(text))) + text;
}

/** Folds one line at spaces; a word longer than a line is cut. */
export function wrap(line: string, columns: number): string[] {
  const width = Math.max(8, columns);
  const lines: string[] = [];
  let rest = line;
  while (textWidth(rest) > width) {
    const head = takeColumns(rest, width);
    const space = rest[head.length] === " " ? head.length : head.lastIndexOf(" ");
    const cut = space > 0 ? space : head.length;
    // A single grapheme wider than the line cannot be cut; it goes out as it is.
    if (cut === 0) break;
    lines.push(rest.slice(0, cut));
    rest = rest.slice(space > 0 ? cut + 1 : cut);
  }
  return [...lines, rest];
}

function graphemeWidth(grapheme: string): number {
  if (PRINTABLE_ASCII.test(grapheme)) return grapheme.length;
  if (ZERO.test(grapheme)) return 0;
  return EMOJI.test(grapheme) || WIDE.test(grapheme) ? 2 : 1;
}
