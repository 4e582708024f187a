/** Training: what stands around the updates: the plan, the loop, validation, checkpoints, playing elsewhere. */
export type { Away } from "./asynchronous.ts";
export type { EndEvent, EvaluationEvent, NoticeEvent, Spent, StartEvent, TrainEvent, UpdateEvent } from "./events.ts";
export { trainInTurn, type KeptEvent, type NextTask, type TrainedInTurn, type TrainInTurnEvent } from "./in-turn.ts";
export { openWorld, type OpenedWorld, type RewardPart, type WorldPart } from "./parts.ts";
export type { AwayPlan, TrainOptions } from "./options.ts";
export { bundledScorers, openScorer, type TrainedScorer } from "./scorer/open-scorer.ts";
export { openJudge, type SavedJudge } from "./judge/saved-judge.ts";
export { withReplayLabels } from "./scorer/replay-labels.ts";
export { trainScorer } from "./scorer/train-scorer.ts";
export type { TrainScorerOptions } from "./scorer/train-scorer-options.ts";
export type { ScorerCard } from "./scorer/card.ts";
export { trainTokenReward, type TokenRewardCard, type TrainTokenRewardOptions } from "./scorer/token-reward.ts";
export { trainingSchema } from "./schema.ts";
export type { TrainerPlan } from "./remote.ts";
export type { SharedWeights, WeightsHere } from "./opened-model.ts";
export { train, type Trained } from "./train.ts";
export { warmUp, type WarmedUp } from "./warm-up/warm-up.ts";
export type { WarmUpEvent, WarmUpOptions } from "./warm-up/options.ts";
