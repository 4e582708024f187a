/** Walk: one engine that moves a policy through a world, along one line or over a whole tree, within one budget. */
export type { Corrector, Finished, Judge, Judgement, OutcomeScorer, Pool, Reflection, Reflector } from "./judge.ts";
export type { EpisodeLimits } from "./line/runtime.ts";
export { strategyNeeds } from "./line/strategy.ts";
export { rollOut, type RollOutOptions, type RollOutProgress, type RollOutResult } from "./line/roll-out.ts";
export type { KeptEpisodes, Scope, Strategy, StrategyNeed } from "./line/strategy.ts";
export type { ForkStart, Suspended, Walk, WalkStart } from "./line/strategy.ts";
export { actionForms, plainForm, taggedForm, type ActionForm } from "./mind/action-form.ts";
export type { Agent, Answer, BranchPoint, Decision, Mind, Moment, Spoken } from "./mind/agent.ts";
export { contextAction, type ContextActionOptions } from "./mind/context-action.ts";
export { defineAgent, type AgentDefinition, type OwnAgent } from "./mind/define-agent.ts";
export { createDemonstratorAgent } from "./mind/demonstrator-agent.ts";
export { memoryPrompts, type MemoryOptions } from "./mind/memory-prompts.ts";
export { appendOnly, withOpening, type Prompter, type Prompting } from "./mind/prompter.ts";
export { rebuiltPrompts, type PastTurn, type RebuiltOptions } from "./mind/prompter.ts";
export { agentSettings, getPrompting, type Speech } from "./mind/promptings.ts";
export { createTextAgent, type TextAgentOptions } from "./mind/text-agent.ts";
export { createTokenAgent } from "./mind/token-agent.ts";
export type { TokenAgentOptions } from "./mind/token-agent.ts";
export {
  spendingKinds,
  type Budget,
  type Need,
  type Purse,
  type Spending,
  type SpendingKind,
  type TokenPrices,
} from "./purse.ts";
export type { Assistants, Sink, WalkOptions, WalkScope } from "./scope.ts";
export { createAlike, type Alike, type AlikeOptions, type Embed } from "./tree/alike.ts";
export { createAsker, openChatAsker, type Asker, type AskerOptions, type OpenedAsker } from "./tree/asker.ts";
export type { StrategySearch } from "./tree/search-tasks.ts";
export { chosenEpisode, harmBeside } from "./tree/search-tasks.ts";
export { lineTo, nextNodes, nodesBelow, outcomeOfNode, stepsTo, type SearchNode } from "./tree/node.ts";
export type { Proposal } from "./tree/search.ts";
export { runSearch, type SearchResult } from "./tree/run-search.ts";
export type { RunSearchOptions } from "./tree/search.ts";
export { lostEpisode, type SearchOutcome } from "./tree/search-tasks.ts";
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
