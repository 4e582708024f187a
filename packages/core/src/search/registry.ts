/** The searches by name, in two tiers. */
import { bothTiers, lookUp } from "limbeck-base/base/registry";
import { resolveOptions } from "limbeck-base/base/options";
import type { Search, SearchDefinition, SearchNeeds } from "./search.ts";
import { abMcts } from "./ab-mcts.ts";
import { agentQ } from "./agent-q.ts";
import { bavt } from "./bavt.ts";
import { beam } from "./beam.ts";
import { bestOfN } from "./best-of-n.ts";
import { coarseToFine } from "./coarse-to-fine.ts";
import { codetree } from "./codetree.ts";
import { confidenceVote } from "./confidence-vote.ts";
import { dts } from "./dts.ts";
import { ets } from "./ets.ts";
import { evolution } from "./evolution.ts";
import { gems } from "./gems.ts";
import { heavySkill } from "./heavy-skill.ts";
import { iMcts } from "./i-mcts.ts";
import { majorityVote } from "./majority-vote.ts";
import { mcgs } from "./mcgs.ts";
import { mcts } from "./mcts.ts";
import { pdr } from "./pdr.ts";
import { rtv } from "./rtv.ts";
import { selfAbstraction } from "./self-abstraction.ts";
import { simpleTes } from "./simple-tes.ts";
import { spark } from "./spark.ts";
import { star } from "./star.ts";
import { treePlanner } from "./tree-planner.ts";
import { weboperator } from "./weboperator.ts";

/** Those that follow code, a paper or common practice. A new one is a file, a test and a line here. */
export const searches = {
  "ab-mcts": abMcts,
  "agent-q": agentQ,
  beam,
  "best-of-n": bestOfN,
  "confidence-vote": confidenceVote,
  codetree,
  ets,
  gems,
  "i-mcts": iMcts,
  "majority-vote": majorityVote,
  mcts,
  "simple-tes": simpleTes,
  spark,
  star,
  "tree-planner": treePlanner,
  weboperator,
} as const satisfies Record<string, SearchDefinition>;

/** Those that follow an abstract or a third party's reading (`info.confidence`): `limbeck/experimental`. Names find them all the same. */
export const experimentalSearches = {
  bavt,
  "coarse-to-fine": coarseToFine,
  dts,
  evolution,
  "heavy-skill": heavySkill,
  mcgs,
  pdr,
  rtv,
  "self-abstraction": selfAbstraction,
} as const satisfies Record<string, SearchDefinition>;

export const allSearches = bothTiers(searches, experimentalSearches);

export type SearchId = keyof typeof allSearches;

/**
 * The search of this name, or an error that lists the known ones.
 *
 * @example
 * console.log(getSearch("mcts").needs);
 */
export function getSearch(name: string): SearchDefinition {
  return lookUp<SearchDefinition>(allSearches, name, "search");
}

/**
 * A search ready to run, with its options checked.
 *
 * @example
 * const { success } = await search({ env: "countdown", policy: "expert", tasks: 1, search: () => createSearch("best-of-n", { n: 2 }) });
 * console.log(success); // 1
 */
export function createSearch(
  name: string,
  options: Readonly<Record<string, unknown>> = {},
): Search & { readonly name: string; readonly needs: readonly SearchNeeds[] } {
  const definition = getSearch(name);
  const search = definition.create(resolveOptions(definition.options, options, name));
  return Object.assign(search, { name, needs: definition.needs });
}
