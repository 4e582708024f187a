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

export function escapeHtml(text: string): string {
  // Control characters have no place in a page; a line break is layout.
  return text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] as string).replace(/[^\P{Cc}\n]/gu, "\uFFFD");
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
