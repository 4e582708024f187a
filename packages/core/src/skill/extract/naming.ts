/** Names that a person can tell apart: the words that matter, joined by hyphens. */
import { LONGEST_NAME, versionOf } from "../library/skill-file.ts";
import type { NewSkill } from "../library/library.ts";
import { adviceOf, ASKED, isFunctionWord } from "./words.ts";

const MOST_WORDS = 5;
const LEADS = /^(?:this worked|refused|useless|leads back|do this now)\b/;
const PALE = new Set("other worked refused useless back leads".split(" "));

function tellingWords(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .replace(LEADS, "")
      .replaceAll(/\{\d+\}/g, " ")
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .match(/[a-z0-9]+/g) ?? [];
  return [...new Set(words.filter((word) => !isFunctionWord(word) && !PALE.has(word)))].slice(0, MOST_WORDS);
}

/** Free among `taken`: a piece of the version is added where another skill has the words already. */
export function nameFor(skill: Pick<NewSkill, "text" | "level" | "when">, taken: ReadonlySet<string>): string {
  const text = skill.text.toLowerCase();
  const prefix = /^(?:refused|useless|do not|avoid|never)\b/.test(text) ? ["avoid"] : [];
  // A list of calls begins with tools and arguments; what it is for tells more, where it can be written in plain letters.
  const asked = skill.text.startsWith(ASKED) ? tellingWords(skill.when.goals[0] ?? "") : [];
  const telling = asked.length > 0 ? asked : tellingWords(adviceOf(skill.text));
  const room = LONGEST_NAME - 9;
  const name = [...prefix, ...telling].join("-").slice(0, room).replace(/-+$/, "") || "skill";
  return taken.has(name) ? `${name}-${versionOf(skill).slice(0, 8)}` : name;
}
