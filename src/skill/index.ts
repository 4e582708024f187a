/** Skill: what finished episodes teach, in words, with the steps each lesson rests on. */
export type { AnalyseOptions, Analysis, Analyst, Evidence, OutcomeLabel, Skill, SkillLevel } from "./skill.ts";
export {
  avoidanceText,
  LEADS,
  REASONS,
  stepAdvice,
  stepWarning,
  workflowText,
  type Avoidance,
  type Reason,
} from "./statistics/wording.ts";
