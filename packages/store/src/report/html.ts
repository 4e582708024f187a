/** Text that becomes markup: everything from a run is escaped here, and nowhere is it put together without. */

/** A piece of markup that is safe to insert. Only the functions of this file make one. */
export interface Html {
  readonly html: string;
}

type Insert = string | number | Html | readonly Html[] | undefined | false;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Control characters have no place in a page (line breaks and tabs are layout), and those that turn the direction of
 * writing could make a text read as something else: both are shown as the sign for a broken letter.
 */
const NOT_SHOWN = /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]|\p{Cs}/gu;

export function escapeHtml(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(/[&<>"']/g, (letter) => ENTITIES[letter] as string)
    .replace(NOT_SHOWN, "\uFFFD");
}

/** Markup with inserts: texts and numbers are escaped, pieces of markup go in as they are, nothing for undefined. */
export function markup(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  let text = parts[0] ?? "";
  inserts.forEach((insert, at) => {
    text += insertText(insert) + (parts[at + 1] ?? "");
  });
  return { html: text };
}

function insertText(insert: Insert): string {
  if (insert === undefined || insert === false) return "";
  if (typeof insert === "string") return escapeHtml(insert);
  if (typeof insert === "number") return String(insert);
  return "html" in insert ? insert.html : insert.map((part) => part.html).join("");
}

/** Long texts are cut and say so: a page is no place for five megabytes. */
export function clip(text: string, letters: number): string {
  if (text.length <= letters) return text;
  // Not in the middle of a letter that takes two places.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(letters - 1)) ? letters - 1 : letters;
  return `${text.slice(0, end)} … (${text.length - end} letters more)`;
}
