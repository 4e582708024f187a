/** Skills with their ids. */
import { createHash } from "node:crypto";
import type { Evidence, Skill, SkillLevel } from "./skill.ts";

const ID_LENGTH = 16;

export function createSkill(level: SkillLevel, text: string, evidence: readonly Evidence[]): Skill {
  const id = createHash("sha256").update(`${level}\n${text}`).digest("hex").slice(0, ID_LENGTH);
  return { id, level, text, evidence };
}
