/** Skills as a section of AGENTS.md or CLAUDE.md, between two marks; what else stands in the file is nobody's business. */
import { factLines, type SkillFacts } from "./facts.ts";

const BEGIN = "<!-- limbeck skills: begin; limbeck skills uninstall takes this out -->";
const END = "<!-- limbeck skills: end -->";

export function sectionText(skills: readonly SkillFacts[]): string {
  const parts = skills.flatMap((facts) => [
    `### ${facts.name}`,
    "",
    facts.advice,
    "",
    ...factLines(facts, { most: 3 }),
    "",
  ]);
  return [BEGIN, "", "## Skills learnt from earlier sessions", "", ...parts, END, ""].join("\n");
}

/** What stands between a file's last line and the section. */
export function gap(before: string): string {
  if (before === "" || before.endsWith("\n\n")) return "";
  return before.endsWith("\n") ? "\n" : "\n\n";
}
