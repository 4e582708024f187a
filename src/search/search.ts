/** A search in the registry: its name card, its options, and how it is made. The contract itself is the engine's. */
import type { MethodInfo, OptionTable, OptionValues } from "../base/index.ts";
import type { Search, SearchNeeds } from "../walk/tree/search.ts";

export type { Search, SearchNeeds, SearchScope, Value, WalkOnOptions } from "../walk/tree/search.ts";

export interface SearchDefinition<Options extends OptionTable = OptionTable> {
  readonly info: MethodInfo;
  /** What it cannot do without; checked before any work. Default: nothing. */
  readonly needs: readonly SearchNeeds[];
  readonly options: Options;
  create(options: OptionValues<Options>): Search;
}

/**
 * Makes a search: how more compute is spent at the moment of decision.
 *
 * @example
 * const oneTry = defineSearch({
 *   info: { title: "One try", meaning: "Plays the episode to its end once.", paper: "Our own", confidence: "practice", formula: [], departures: [] },
 *   options: {},
 *   create: () => ({ run: (scope) => scope.walkOn(scope.root) }),
 * });
 * const { success } = await search({ env: "countdown", policy: "expert", tasks: 1, search: oneTry.create({}) });
 * console.log(success); // 1
 */
export function defineSearch<const Options extends OptionTable>(
  definition: Omit<SearchDefinition<Options>, "needs"> & Partial<Pick<SearchDefinition, "needs">>,
): SearchDefinition<Options> {
  return { needs: [], ...definition };
}
