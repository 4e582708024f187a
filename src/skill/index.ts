/** Skill: what finished episodes teach, in words, with the steps each lesson rests on, and the library that keeps it. */
import type { EntryInfo } from "../base/method-info.ts";
import type { OptionTable } from "../base/option-table.ts";
import { createModelAnalyst, modelAnalystOptions } from "./model/model.ts";
import { createStatisticsAnalyst, statisticsOptions } from "./statistics/statistics.ts";

/** Analysts by id. */
export const analysts = {
  model: {
    info: { title: "A chat model", meaning: "Asks a model what an episode teaches, and where." },
    options: modelAnalystOptions,
    create: createModelAnalyst,
  },
  statistics: {
    info: { title: "Statistics", meaning: "Writes down what a group of episodes of one task shows by itself." },
    options: statisticsOptions,
    create: createStatisticsAnalyst,
  },
} as const satisfies Record<
  string,
  { readonly info: EntryInfo; readonly options: OptionTable; readonly create: unknown }
>;
export type AnalystId = keyof typeof analysts;

export { briefQuestion } from "./writer/brief.ts";
export {
  briefSteps,
  CLAIM_LEADS,
  readBriefAnswer,
  readClaims,
  readWarning,
  type BriefClaim,
  type BriefStep,
  type ReadClaim,
} from "./writer/brief-answer.ts";
export { createPolicyWriter } from "./writer/open-writer.ts";
export { createWriter } from "./writer/writer.ts";
export { createWriterAnalyst } from "./writer/writer-analyst.ts";
export { createSkill } from "./create-skill.ts";
export { augmentObservation, type InjectedSkills, type InjectionOptions } from "./injection.ts";
export { createModelAnalyst, type ModelAnalystOptions } from "./model/model.ts";
export { labelOutcome, shouldAnalyse, type SelectionOptions } from "./outcome.ts";
export { TEACHER_MODES, type RoutingOptions, type TeacherMode } from "./routing.ts";
export { screenAnalyses } from "./screen/screen-analyses.ts";
export { teacherSchedule, type TeacherPlan, type TeacherScheduleOptions } from "./schedule.ts";
export type {
  AnalyseOptions,
  Analysis,
  Analyst,
  Evidence,
  OutcomeLabel,
  Skill,
  SkillLevel,
  Writer,
  Writing,
  WritingKind,
  Written,
} from "./skill.ts";
export {
  avoidanceText,
  createStatisticsAnalyst,
  LEADS,
  REASONS,
  stepAdvice,
  stepWarning,
  workflowText,
  type Avoidance,
  type Reason,
  type StatisticsOptions,
} from "./statistics/index.ts";
export {
  buildTeacherForest,
  type LostRow,
  type TeacherForest,
  type TeacherForestOptions,
  type TeacherSequence,
} from "./teacher-forest.ts";
export {
  anchorPresets,
  sectionTemplates,
  type AnchorPresetId,
  type Anchors,
  type SectionTemplate,
  type SectionTemplateId,
} from "./templates.ts";
export { installSkills, uninstallSkills } from "./install/install.operation.ts";
export { reportSkills, selectSkills } from "./skills.operation.ts";
