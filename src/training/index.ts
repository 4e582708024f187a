/** Training: what stands around the updates: the plan, the loop, validation, checkpoints, playing elsewhere. */
export { openActingThread, type ActingSetup } from "./acting-thread.ts";
export type { Away } from "./asynchronous.ts";
export type { EndEvent, EvaluationEvent, NoticeEvent, Spent, StartEvent, TrainEvent, UpdateEvent } from "./events.ts";
export { train, type AwayPlan, type TrainingPlan } from "./open-training.ts";
export type { TrainerPlan } from "./remote.ts";
export type { SharedWeights, WeightsHere } from "./trained-model.ts";
