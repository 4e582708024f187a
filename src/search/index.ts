/** Search: spends more compute at the moment of decision, on worlds that fork and policies that score, within a budget. */
export { createAlike, type Alike, type AlikeOptions, type Embed } from "./alike.ts";
export { createAsker, openChatAsker, type Asker, type AskerOptions, type OpenedAsker } from "./asker.ts";
export {
  budgetKinds,
  type SearchBudget,
  type SearchNeed,
  type SearchPurse,
  type SearchSpending,
  type TokenPrices,
} from "./budget.ts";
export { bestOf } from "./choose.ts";
export { leaving, lineTo, nodesBelow, outcomeOfNode, stepsTo, type SearchNode } from "./node.ts";
export type { Proposal } from "./proposal.ts";
export { chosenEpisode, harmBeside } from "./chosen-episode.ts";
export type { StrategySearch } from "./by-strategy.ts";
export { lostEpisode, type SearchOutcome } from "./search-outcome.ts";
export { searchTasks, type SearchPlan, type SearchTasksOptions } from "./search-tasks.ts";
export { runSearch, type SearchResult } from "./run-search.ts";
export type { RunSearchOptions } from "./search-options.ts";
export {
  defineSearch,
  type AskOptions,
  type EachOptions,
  type ProposeOptions,
  type Search,
  type SearchDefinition,
  type SearchNeeds,
  type SearchScope,
  type Value,
  type WalkOnOptions,
} from "./search.ts";
export { createValue, getValue, values, type ValueId } from "./values/index.ts";
export { defineValue, type Critic, type ValueDefinition, type ValueGivens, type Verifier } from "./values/value.ts";
export { createSearch, getSearch, searches, type SearchId } from "./registry.ts";
