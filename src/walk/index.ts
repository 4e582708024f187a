/** Walk: one engine that moves a policy through a world, along one line or over a whole tree, within one budget. */
export type { Corrector, Finished, Judge, Judgement, OutcomeScorer, Pool, Reflection, Reflector } from "./judge.ts";
export type { EpisodeLimits } from "./limits.ts";
export { strategyNeeds } from "./line/needs.ts";
export { rollOut, type RollOutOptions, type RollOutProgress, type RollOutResult, type Sink } from "./line/roll-out.ts";
export type { KeptEpisodes, Scope, Strategy, StrategyNeed } from "./line/strategy.ts";
export type { ForkStart, Suspended, Walk, WalkStart } from "./line/walk.ts";
export { actionForms, plainForm, taggedForm, type ActionForm } from "./mind/action-form.ts";
export type { Agent, Answer, BranchPoint, Decision, Mind, Moment, Spoken } from "./mind/agent.ts";
export { contextAction, type ContextActionOptions } from "./mind/context-action.ts";
export { defineAgent, type AgentDefinition, type OwnAgent } from "./mind/define-agent.ts";
export { createDemonstratorAgent } from "./mind/demonstrator-agent.ts";
export { memoryPrompts, type MemoryOptions } from "./mind/memory-prompts.ts";
export { appendOnly, withOpening, type Prompter, type Prompting } from "./mind/prompter.ts";
export { getPrompting } from "./mind/promptings.ts";
export { rebuiltPrompts, type PastTurn, type RebuiltOptions } from "./mind/rebuilt-prompts.ts";
export { agentSettings, type Speech } from "./mind/speech.ts";
export { createTextAgent, type TextAgentOptions } from "./mind/text-agent.ts";
export { createTokenAgent } from "./mind/token-agent.ts";
export type { TokenAgentOptions } from "./mind/token-state.ts";
export {
  spendingKinds,
  type Budget,
  type Need,
  type Purse,
  type Spending,
  type SpendingKind,
  type TokenPrices,
} from "./purse.ts";
export { createAlike, type Alike, type AlikeOptions, type Embed } from "./tree/alike.ts";
export { createAsker, openChatAsker, type Asker, type AskerOptions, type OpenedAsker } from "./tree/asker.ts";
export type { StrategySearch } from "./tree/by-strategy.ts";
export { chosenEpisode, harmBeside } from "./tree/chosen-episode.ts";
export { leaving, lineTo, nodesBelow, outcomeOfNode, stepsTo, type SearchNode } from "./tree/node.ts";
export type { Proposal } from "./tree/proposal.ts";
export { runSearch, type SearchResult } from "./tree/run-search.ts";
export type { RunSearchOptions } from "./tree/search-options.ts";
export { lostEpisode, type SearchOutcome } from "./tree/search-outcome.ts";
export { searchTasks, type SearchPlan, type SearchTasksOptions } from "./tree/search-tasks.ts";
export type {
  AskOptions,
  EachOptions,
  ProposeOptions,
  Search,
  SearchNeeds,
  SearchScope,
  Value,
  WalkOnOptions,
} from "./tree/search.ts";
