/**
 * Limbeck: an engine in which language-model agents learn from their own trajectories.
 *
 * This is the front door: six functions with every default, what is needed to bring parts of your own, and the central
 * types. Every room has a door of its own: `limbeck/credit`, `limbeck/env`, … What no door exports may change at any time.
 */

// Use an agent
export { arena, credit, evaluate, openAgent, rollout, search } from "./run/index.ts";
export { train } from "./training/index.ts";
export type {
  Credited,
  CreditOptions,
  Evaluated,
  EvaluateOptions,
  RolledOut,
  RolloutOptions,
  RunArenaOptions as ArenaOptions,
  SearchOptions,
} from "./run/index.ts";
export type { TrainEvent, Trained, TrainOptions } from "./training/index.ts";

// Make parts of your own
export { defineCredit, type CreditBatch, type CreditMethod, type CreditResult } from "./credit/index.ts";
export { defineObjective } from "./objective/index.ts";
export { defineRecipe, type Recipe } from "./recipe/index.ts";
export { defineReward, type RewardMethod } from "./reward/index.ts";
export { defineStrategy } from "./rollout/index.ts";
export type { Agent, Strategy } from "./walk/index.ts";
export { defineSearch } from "./search/index.ts";

// Open what is there
export { defineWorld, type Env, type Episode, type StepResult } from "./env/index.ts";
export { openEnv } from "./worlds/index.ts";
export { createChatDialect, openModel, type LocalModel } from "./policy/local/index.ts";
export { plainDialect } from "./policy/tabular/index.ts";
export { openStore, type Store } from "./store/index.ts";

// What everything speaks of
export { createRng, EngineError, option, type Running } from "./base/index.ts";
export type { Evaluation } from "./eval/index.ts";
export type { Dialect, Learner, Objective, Policy, Scorer, TextPolicy } from "./policy/index.ts";
export {
  scored,
  unscored,
  type Message,
  type Score,
  type Step,
  type Task,
  type Trajectory,
} from "./trajectory/index.ts";
