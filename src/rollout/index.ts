/** Rollout: the loop between an environment and a policy, and the strategies that decide which episodes are walked. */
export { spendingKinds, type Limits, type Purse, type Spending, type SpendingKind } from "./account.ts";
export { actionForms, plainForm, taggedForm, type ActionForm } from "./action-form.ts";
export type { Agent, Answer, BranchPoint, Decision, Mind, Moment, Spoken } from "./agent.ts";
export { contextAction, type ContextActionOptions } from "./context-action.ts";
export { createDemonstratorAgent } from "./demonstrator-agent.ts";
export { createHandover, type Handover, type HandoverOptions } from "./handover.ts";
export type { Corrector, Finished, Judge, Judgement, Pool, Reflection, Reflector } from "./judge.ts";
export type { EpisodeLimits } from "./limits.ts";
export { memoryPrompts, type MemoryOptions } from "./memory-prompts.ts";
export { strategyNeeds } from "./needs.ts";
export { appendOnly, withOpening, type Prompter, type Prompting } from "./prompter.ts";
export { getPrompting } from "./promptings.ts";
export { agentSettings, type Speech } from "./speech.ts";
export { rebuiltPrompts, type PastTurn, type RebuiltOptions } from "./rebuilt-prompts.ts";
export { rollOut, type RollOutOptions, type RollOutProgress, type RollOutResult, type Sink } from "./roll-out.ts";
export { roseWith, type TokenLikeness } from "./rose.ts";
export {
  defineStrategy,
  type KeptEpisodes,
  type Scope,
  type Strategy,
  type StrategyDefinition,
  type StrategyNeed,
} from "./strategy.ts";
export { createTextAgent, type TextAgentOptions } from "./text-agent.ts";
export { createTokenAgent } from "./token-agent.ts";
export type { TokenAgentOptions } from "./token-state.ts";
export type { ForkStart, Suspended, Walk, WalkStart } from "./walk.ts";
export { withSkills } from "./with-skills.ts";
export { createStrategy, getStrategy, strategies, type StrategyId } from "./registry.ts";
