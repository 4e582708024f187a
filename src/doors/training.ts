/**
 * Training: what stands around the updates: trainings, scorers and judges, settings that are searched for, recipes
 * against each other.
 */

// Trainings
export { trainInTurn } from "../training/in-turn.ts";
export { warmUp } from "../training/warm-up/warm-up.ts";
export type { WarmUpOptions } from "../training/warm-up/options.ts";
export { trainingSchema } from "../training/schema.ts";
export type { UpdateEvent } from "../training/events.ts";

// Scorers and judges
export { trainScorer } from "../training/scorer/train-scorer.ts";
export { openScorer } from "../training/scorer/open-scorer.ts";
export { openJudge } from "../training/judge/saved-judge.ts";
export { trainTokenReward } from "../training/scorer/token-reward.ts";

// Recipes and settings against each other
export { tune } from "../run/tune.ts";
export { tuneWords } from "../arena/tune/tuned.ts";
export { verdictWords } from "../arena/words.ts";

// Commands
export { sft } from "../training/sft.operation.ts";
export { warmUpModel } from "../run/warm-up.operation.ts";
export { draftHeads } from "../run/draft-heads.operation.ts";
export { trainReward, judgeReward } from "../run/reward.operation.ts";
