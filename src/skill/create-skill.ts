/** Skills with their ids, and skills as the store keeps them. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../trajectory/index.ts";
import type { Analysis, Evidence, Skill, SkillLevel } from "./skill.ts";

const ID_LENGTH = 16;

export function createSkill(level: SkillLevel, text: string, evidence: readonly Evidence[]): Skill {
  const id = createHash("sha256").update(`${level}\n${text}`).digest("hex").slice(0, ID_LENGTH);
  return { id, level, text, evidence };
}

/** One row per skill; has the shape of the store's skill record. */
export interface SkillRow {
  readonly id: string;
  readonly level: string;
  readonly text: string;
  readonly trajectory: string;
  readonly step?: number;
  readonly data: JsonObject;
}

/** The episode skill first, then step skills in the order written. `analyst` is kept with each. */
export function skillRows(analysis: Analysis, analyst: string): SkillRow[] {
  const { trajectory, outcome, episodeSummary, episodeSkill } = analysis;
  const row = (skill: Skill, extra: JsonObject): Omit<SkillRow, "step"> => ({
    id: skill.id,
    level: skill.level,
    text: skill.text,
    trajectory,
    data: {
      analyst,
      outcome,
      evidence: skill.evidence.map(({ trajectory: seenIn, steps }) => ({ trajectory: seenIn, steps: [...steps] })),
      ...extra,
    },
  });
  return [
    ...(episodeSkill === undefined
      ? []
      : [row(episodeSkill, episodeSummary === undefined ? {} : { summary: episodeSummary })]),
    ...[...analysis.stepSkills].map(([step, skill], rank) => ({ ...row(skill, { rank }), step })),
  ];
}
