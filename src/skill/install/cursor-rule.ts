/** A rule of Cursor (.cursor/rules/NAME.mdc): offered by its description, or always where it is for every task. */
import { stringify } from "yaml";
import { factLines, type SkillFacts } from "./facts.ts";
import type { FormFile } from "./agent-skill.ts";

export function cursorRule(facts: SkillFacts, always: boolean): FormFile {
  const { name, description, advice } = facts;
  // Cursor's own reader takes the rest of the line as it is: quotes only where YAML cannot do without.
  const head = [
    "---",
    stringify({ description }, { lineWidth: 0 }).trimEnd(),
    "globs:",
    `alwaysApply: ${always}`,
    "---",
  ];
  const body = [`# ${name}`, "", advice, "", "## What is known of it", "", ...factLines(facts)];
  return { path: `${name}.mdc`, text: `${[...head, "", ...body].join("\n")}\n` };
}
