/** The analyst that needs no model, and the statistics it rests on. */
export { createStatisticsAnalyst, statisticsOptions, type StatisticsOptions } from "./statistics.ts";
export {
  avoidanceText,
  LEADS,
  REASONS,
  stepAdvice,
  stepWarning,
  workflowText,
  type Avoidance,
  type Reason,
} from "./wording.ts";
