/** Recipe: one readable file for each way to train, and the training around it: validation, checkpoints, the lake. */
export { openActingThread, type ActingSetup } from "./acting-thread.ts";
export type { Away } from "./asynchronous.ts";
export { CORRECTIONS, DEFAULT_CORRECTION, type Correction } from "./correction.ts";
export type { EndEvent, EvaluationEvent, NoticeEvent, Spent, StartEvent, TrainEvent, UpdateEvent } from "./events.ts";
export { train, type AwayPlan, type TrainingPlan } from "./open-training.ts";
export { POLICY_LOSSES } from "./objective-settings.ts";
export { providers, providersFor } from "./providers/index.ts";
export type { Provider } from "./providers/provider.ts";
export { fittingStrategy } from "./providers/strategies.ts";
export { defineRecipe, type Recipe, type RecipeInfo } from "./recipe.ts";
export { getRecipe, recipes, type RecipeId } from "./registry.ts";
export type { TrainerPlan } from "./remote-training.ts";
export {
  resolveSettings,
  settingsTable,
  sharedSettings,
  strategySettings,
  type Settings,
  type SettingsRequest,
} from "./settings.ts";
export type { SharedWeights, WeightsHere } from "./trained-model.ts";
export { phases, type Phase, type Workbench } from "./workbench.ts";
