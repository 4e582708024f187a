/** Rollout: the strategies, which decide what episodes are walked, from where, and how far. */
export { createStrategy, getStrategy, strategies, type StrategyId } from "./registry.ts";
export { roseWith, type TokenLikeness } from "./rose.ts";
export { defineStrategy, type ReadyStrategy, type StrategyDefinition } from "./strategy.ts";
