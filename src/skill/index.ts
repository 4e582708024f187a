/** Skill: what finished episodes teach, in words, with the steps each lesson rests on, and the library that keeps it. */
import type { EntryInfo, OptionTable } from "../base/index.ts";
import { createModelAnalyst, modelAnalystOptions } from "./model/index.ts";
import { createStatisticsAnalyst, statisticsOptions } from "./statistics/index.ts";

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

export { createSkill } from "./create-skill.ts";
export { augmentObservation, skillOpening, type InjectedSkills, type InjectionOptions } from "./injection.ts";
export {
  buildAnalystRequest,
  buildRetryRequest,
  createModelAnalyst,
  parseAnalysis,
  type ModelAnalystOptions,
  type ParsedAnalysis,
  type ParseResult,
  type RequestOptions,
} from "./model/index.ts";
export { openAnalyst } from "./open-analyst.ts";
export { labelOutcome, shouldAnalyse, type SelectionOptions } from "./outcome.ts";
export {
  selectTeacherSources,
  TEACHER_MODES,
  type RoutingOptions,
  type TeacherMode,
  type TeacherSources,
} from "./routing.ts";
export { screenAnalyses, wasScreened } from "./screen/screen-analyses.ts";
export { scheduleWarning, teacherSchedule, type TeacherPlan, type TeacherScheduleOptions } from "./schedule.ts";
export type { AnalyseOptions, Analysis, Analyst, Evidence, OutcomeLabel, Skill, SkillLevel } from "./skill.ts";
export {
  avoidanceText,
  command,
  createStatisticsAnalyst,
  findWorkflow,
  LEADS,
  rankCriticalSteps,
  REASONS,
  selectCriticalByStats,
  stepAdvice,
  stepWarning,
  workflowText,
  type Avoidance,
  type CriticalOptions,
  type CriticalRow,
  type CriticalStep,
  type Reason,
  type StatisticsOptions,
  type Workflow,
} from "./statistics/index.ts";
export { extractTaskDescription } from "./task-description.ts";
export {
  buildTeacherForest,
  type LostRow,
  type TeacherForest,
  type TeacherForestOptions,
  type TeacherSequence,
} from "./teacher-forest.ts";
export {
  anchorPresets,
  getAnchorPreset,
  getSectionTemplate,
  sectionTemplates,
  type AnchorPresetId,
  type Anchors,
  type SectionTemplate,
  type SectionTemplateId,
} from "./templates.ts";
export { dropOldestStep } from "./truncation.ts";
