/** The analyst that needs no model, and the statistics it rests on. */
export {
  rankCriticalSteps,
  selectCriticalByStats,
  type CriticalOptions,
  type CriticalRow,
  type CriticalStep,
} from "./critical-steps.ts";
export { createStatisticsAnalyst, statisticsOptions, type StatisticsOptions } from "./statistics.ts";
export {
  avoidanceText,
  command,
  LEADS,
  REASONS,
  stepAdvice,
  stepWarning,
  workflowText,
  type Avoidance,
  type Reason,
} from "./wording.ts";
export { findWorkflow, type Workflow } from "./workflow.ts";
