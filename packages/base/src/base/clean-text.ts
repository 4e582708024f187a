/**
 * Text from models, environments and files, made safe for a terminal. What could move the cursor, change colours,
 * reorder a line or hide is shown as an escape (`\x1b`, `\u202e`); what is left prints as itself.
 */

// C0 and C1 controls (U+009B alone starts an escape sequence on some terminals), line and paragraph separators, marks
// that reorder text (the Trojan Source set), invisible fillers, tag characters, and halves of surrogate pairs.
const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** One line: line breaks become `⏎` and tabs a space. */
export function cleanLine(text: string): string {
  return text
    .replace(/\r\n?|\n/g, "⏎")
    .replace(/\t/g, " ")
    .replace(UNSAFE, escapeOf);
}

/** Several lines: line breaks stay, tabs become two spaces. */
export function cleanLines(text: string): string[] {
  return text.split(/\r\n?|\n/).map((line) => line.replace(/\t/g, "  ").replace(UNSAFE, escapeOf));
}

/** JSON whose strings hold nothing a terminal would obey; it parses to the same value. */
export function cleanJson(json: string): string {
  return json.replace(UNSAFE, (found) =>
    Array.from({ length: found.length }, (_, index) => `\\u${hex(found.charCodeAt(index), 4)}`).join(""),
  );
}

function escapeOf(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 1)}}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
