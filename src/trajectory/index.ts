/** Trajectory: what an agent saw, did and was given for it, down to the exact tokens; a set of them is a forest. */
export { familyOf } from "./family.ts";
export { ancestry, createForest, episodeSteps, validateForest, type Fault, type Forest } from "./forest.ts";
export { hasOutcome, OUTCOME_REWARDS, outcomeOf, type Outcome } from "./outcome.ts";
export { byGroup, byTask, discountedReturns } from "./rows.ts";
export {
  MessageSchema,
  RewardSchema,
  ScoreSchema,
  StepSchema,
  TaskSchema,
  TrajectorySchema,
  trajectoryFromJson,
  trajectoryToJson,
  type TrajectoryJson,
} from "./schema.ts";
export { groupStates, type StateGroupOptions, type StateGroups, type StateMatch } from "./state-groups.ts";
export { scored, scoreValue, unscored } from "./score.ts";
export { successOf, tally, type EpisodeTally } from "./tally.ts";
export { wholeEpisode } from "./whole-episode.ts";
export { wholeStreams } from "./whole-streams.ts";
export type {
  Ending,
  Group,
  Json,
  JsonObject,
  Message,
  Parent,
  PolicyRef,
  Reward,
  Score,
  Span,
  Step,
  Task,
  Timing,
  TokenStream,
  ToolCall,
  Trajectory,
  Usage,
} from "./trajectory.ts";
