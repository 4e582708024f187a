/**
 * The typed contract between the server and the pages: import types from here. The schemas stand in `api/`, one file
 * for each page; nothing there imports server code.
 */
export type { ApiError, CurvePoint, Interval, LongText, Outcome } from "./api/base.ts";
export type { LabelChange, Labels } from "./api/labels.ts";
export type { Meta } from "./api/meta.ts";
export type { BeforeAfter, Comparison, Curve, CurveTopic, RunDetail, RunItem, RunStatus, Setting } from "./api/runs.ts";
export type { TrainingItem, TrainingOrder, Trainings } from "./api/trainings.ts";
export type { RunEvents, StoreEvents } from "./api/live.ts";
export type { Facets, SqlAnswer, TrajectoryItem } from "./api/trajectories.ts";
export type {
  ChatMessage,
  Entropies,
  Sibling,
  StepDetail,
  StepOutline,
  StepSkill,
  StepTokens,
  TrajectoryDetail,
} from "./api/trajectory.ts";
export type { GroupTree, TreeNode } from "./api/group.ts";
export type { SkillDetail, SkillItem, SkillStatus } from "./api/skills.ts";
export type { ArenaArm, ArenaDetail } from "./api/arena.ts";
export type { Fleet } from "./api/fleet.ts";
export type { Advice, OpenGame, PlayGame, PlayMenu, PlayPlace } from "./api/play.ts";
export { endpoints } from "./api/endpoints.ts";
export type { Answer, Body, EndpointName, Endpoints, Query } from "./api/endpoints.ts";
