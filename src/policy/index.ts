/** Policy: whatever samples, scores and learns; the only room that calls a model. */
export type { Dialect } from "./dialect.ts";
export type { Objective, ObjectiveResult, StatisticName, Statistics, TrainRow } from "./objective.ts";
export type {
  BackwardReport,
  Conversation,
  ConversationOptions,
  Learner,
  Policy,
  RowStatistics,
  KeptStates,
  Sampled,
  SampleOptions,
  Scorer,
  ScoreOptions,
  ScoreRow,
  StepOptions,
  StepReport,
  TopTokens,
  TopTokensOptions,
} from "./policy.ts";
export { createSchedule, schedules, type Schedule, type ScheduleOptions } from "./schedule.ts";
export type {
  TextConversation,
  TextPolicy,
  TextSampled,
  TextSampleOptions,
  TextScoreOptions,
  TextScorer,
  TextScoreRow,
  TokenLogprob,
} from "./text-policy.ts";
