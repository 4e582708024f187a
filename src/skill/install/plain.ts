/**
 * Words of skills in files that agents obey. The screen has looked at what they say; this takes away what they could do:
 * Claude Code runs !`command` in a skill and reads files that CLAUDE.md names with @, and a comment could end a section.
 */
import { screenSkill } from "../screen/screen.ts";

// Controls, marks that reorder text, invisible fillers and halves of letters; line breaks and tabs stay.
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** The advice as Markdown that nothing carries out. */
export function plainMarkdown(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(UNSEEN, "")
    .replaceAll("!`", "! `")
    .replaceAll(/```+[ \t]*!/g, "```text")
    .replaceAll("<!--", "&lt;!--")
    .replaceAll("-->", "--&gt;")
    .replaceAll("${", "$ {")
    .replaceAll("$ARGUMENTS", "$ ARGUMENTS")
    .split("\n")
    .map(withoutImports)
    .join("\n")
    .trim();
}

/** @name begins an import of a file where it stands outside of code. */
function withoutImports(line: string): string {
  return line.replaceAll(/(^|[\s(])@([\w./~-]+)/g, (all, before: string, name: string, at: number) => {
    const isCode = (line.slice(0, at).match(/`/g) ?? []).length % 2 === 1;
    return isCode ? all : `${before}\`@${name}\``;
  });
}

/** One line, for front matter and headings. */
export function plainLine(text: string, most: number): string {
  // Three hyphens end front matter for some readers.
  const line = plainMarkdown(text).replaceAll(/\s+/g, " ").replaceAll(/-{3,}/g, "--").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`;
}

/** Ids, paths and versions come from sessions too. Whatever is more than a name is left out. */
export function isPlainName(name: string): boolean {
  return /^[\w@.+^~<>=:/-]{1,200}$/.test(name) && screenSkill(name.replaceAll(/[^\p{L}\p{N}.]+/gu, " ")).length === 0;
}
