/** Search: spends more compute at the moment of decision, on worlds that fork and policies that score, within a budget. */
import { lookUp, resolveOptions } from "../base/index.ts";
import { agentQ } from "./agent-q.ts";
import { bavt } from "./bavt.ts";
import { beam } from "./beam.ts";
import { bestOfN } from "./best-of-n.ts";
import { coarseToFine } from "./coarse-to-fine.ts";
import { codetree } from "./codetree.ts";
import { confidenceVote } from "./confidence-vote.ts";
import { ets } from "./ets.ts";
import { evolution } from "./evolution.ts";
import { heavySkill } from "./heavy-skill.ts";
import { iMcts } from "./i-mcts.ts";
import { majorityVote } from "./majority-vote.ts";
import { mcgs } from "./mcgs.ts";
import { mcts } from "./mcts.ts";
import { pdr } from "./pdr.ts";
import { rtv } from "./rtv.ts";
import { simpleTes } from "./simple-tes.ts";
import { star } from "./star.ts";
import { treePlanner } from "./tree-planner.ts";
import { weboperator } from "./weboperator.ts";
import type { Search, SearchDefinition, SearchNeeds } from "./search.ts";

/** Every search, by id. A new one is a file and a line here. */
export const searches = {
  "agent-q": agentQ,
  bavt,
  beam,
  "best-of-n": bestOfN,
  "coarse-to-fine": coarseToFine,
  codetree,
  "confidence-vote": confidenceVote,
  ets,
  evolution,
  "heavy-skill": heavySkill,
  "i-mcts": iMcts,
  "majority-vote": majorityVote,
  mcgs,
  mcts,
  pdr,
  rtv,
  "simple-tes": simpleTes,
  star,
  "tree-planner": treePlanner,
  weboperator,
} as const satisfies Record<string, SearchDefinition>;

export type SearchId = keyof typeof searches;

/** The search of this name, or an error that lists the known ones. */
export function getSearch(name: string): SearchDefinition {
  return lookUp<SearchDefinition>(searches, name, "search");
}

/** A search ready to run, with its options checked. */
export function createSearch(
  name: string,
  options: Readonly<Record<string, unknown>> = {},
): Search & { readonly name: string; readonly needs: readonly SearchNeeds[] } {
  const definition = getSearch(name);
  const search = definition.create(resolveOptions(definition.options, options, name));
  return Object.assign(search, { name, needs: definition.needs });
}

export { createAlike, type Alike, type AlikeOptions, type Embed } from "./alike.ts";
export { createAsker, type Asker, type AskerOptions } from "./asker.ts";
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
export { searchTasks, type SearchOutcome, type SearchPlan, type SearchTasksOptions } from "./search-tasks.ts";
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
