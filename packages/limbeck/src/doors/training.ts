/**
 * Training: what stands around the updates: trainings, scorers and judges, settings that are searched for, recipes
 * against each other.
 */

// Trainings
export { trainInTurn } from "limbeck-training/training/in-turn";
export { warmUp } from "limbeck-training/training/warm-up/warm-up";
export type { WarmUpOptions } from "limbeck-training/training/warm-up/options";
export { trainingSchema } from "limbeck-training/training/schema";
export type { UpdateEvent } from "limbeck-training/training/events";

// Scorers and judges
export { trainScorer } from "limbeck-training/training/scorer/train-scorer";
export { openScorer } from "limbeck-training/training/scorer/open-scorer";
export { openJudge } from "limbeck-training/training/judge/saved-judge";
export { trainTokenReward } from "limbeck-training/training/scorer/token-reward";

// Recipes and settings against each other
export { tune } from "../run/tune.ts";
export { tuneWords } from "limbeck-training/arena/tune/tuned";
export { verdictWords } from "limbeck-training/arena/words";

// Commands
export { sft } from "limbeck-training/training/sft.operation";
export { warmUpModel } from "../run/warm-up.operation.ts";
export { draftHeads } from "../run/draft-heads.operation.ts";
export { trainReward, judgeReward } from "../run/reward.operation.ts";
