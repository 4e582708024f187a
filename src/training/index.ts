/** Training: what stands around the updates: the plan, the loop, validation, checkpoints, playing elsewhere. */
export { openActingThread, type ActingSetup } from "./acting-thread.ts";
export type { Away } from "./asynchronous.ts";
export type { EndEvent, EvaluationEvent, NoticeEvent, Spent, StartEvent, TrainEvent, UpdateEvent } from "./events.ts";
export {
  heldOut,
  newRunName,
  openWorld,
  rewarding,
  roomFor,
  worldName,
  type OpenedWorld,
  type RewardPart,
  type WorldPart,
} from "./parts.ts";
export type { AwayPlan, TrainingPlan, TrainOptions } from "./options.ts";
export { chosenMethods, planTraining } from "./plan.ts";
export { trainingSchema } from "./schema.ts";
export type { TrainerPlan } from "./remote.ts";
export type { SharedWeights, WeightsHere } from "./opened-model.ts";
export { runPlan, train, type Trained } from "./train.ts";
