/** Names that a person can tell apart: the words that matter, joined by hyphens. */
import { LONGEST_NAME } from "../library/skill-file.ts";
import type { NewSkill } from "../library/library.ts";
import { versionOf } from "../library/version-of.ts";
import { isFunctionWord } from "./words.ts";

const MOST_WORDS = 5;
const LEADS = /^(?:this worked|refused|useless|leads back|do this now)\b/;
const PALE = new Set("other worked refused useless back leads".split(" "));

/** Free among `taken`: a piece of the version is added where another skill has the words already. */
export function nameFor(skill: Pick<NewSkill, "text" | "level" | "when">, taken: ReadonlySet<string>): string {
  const text = skill.text.toLowerCase();
  const prefix = /^(?:refused|useless|do not|avoid|never)\b/.test(text) ? ["avoid"] : [];
  // A list of calls begins with tools and arguments; what it is for tells more.
  const isCalls = /^this worked: [\w.:-]+ \w+=/.test(text);
  const words =
    (isCalls ? (skill.when.goals[0] ?? text) : text)
      .toLowerCase()
      .replace(LEADS, "")
      .replaceAll(/\{\d+\}/g, " ")
      .match(/[a-z0-9]+/g) ?? [];
  const telling = [...new Set(words.filter((word) => !isFunctionWord(word) && !PALE.has(word)))].slice(0, MOST_WORDS);
  const room = LONGEST_NAME - 9;
  const name = [...prefix, ...telling].join("-").slice(0, room).replace(/-+$/, "") || "skill";
  return taken.has(name) ? `${name}-${versionOf(skill).slice(0, 8)}` : name;
}
