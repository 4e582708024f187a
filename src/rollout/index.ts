/** Rollout: the strategies, which decide what episodes are walked, from where, and how far. */
export { StrategyTally, type Effect, type EffectGivens } from "./effect.ts";
export { createHandover, type Handover, type HandoverOptions } from "./handover.ts";
export { createStrategy, getStrategy, strategies, type StrategyId } from "./registry.ts";
export { roseWith, type TokenLikeness } from "./rose.ts";
export { defineStrategy, type ReadyStrategy, type StrategyDefinition } from "./strategy.ts";
export { withSkills } from "./with-skills.ts";
