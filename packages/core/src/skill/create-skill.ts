/** Skills with their ids. */
import { createHash } from "node:crypto";
import type { Evidence, Skill, SkillLevel } from "./skill.ts";

const ID_LENGTH = 16;

/**
 * A skill with its id: the same advice at the same level has the same one.
 *
 * @example
 * const skill = createSkill("episode", "Open drawers first.", [{ trajectory: "a", steps: [0, 1] }]);
 * console.log(skill.id); // de941f2e5b1d83dc
 * console.log(skill.id === createSkill("episode", "Open drawers first.", []).id); // true
 */
export function createSkill(level: SkillLevel, text: string, evidence: readonly Evidence[]): Skill {
  const id = createHash("sha256").update(`${level}\n${text}`).digest("hex").slice(0, ID_LENGTH);
  return { id, level, text, evidence };
}
