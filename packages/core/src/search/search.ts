/** A search in the registry: its name card, its options, and how it is made. The contract itself is the engine's. */
import type { MethodInfo } from "limbeck-base/base/method-info";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import { awaitWork, badAnswer, callPart, withOverrides } from "limbeck-base/base/parts/contain";
import { kindOfValue, madePart, type PartKind } from "limbeck-base/base/parts/part";
import type { Search, SearchNeeds } from "../walk/tree/search.ts";

export type { SearchNode } from "../walk/tree/node.ts";
export type { Search, SearchNeeds, SearchScope, Value, WalkOnOptions } from "../walk/tree/search.ts";

export interface SearchDefinition<Options extends OptionTable = OptionTable> {
  readonly info: MethodInfo;
  /** What it cannot do without; checked before any work. Default: nothing. */
  readonly needs: readonly SearchNeeds[];
  readonly options: Options;
  create(options: OptionValues<Options>): Search;
}

const SEARCH: PartKind<SearchDefinition> = {
  kind: "search",
  maker: "defineSearch",
  functions: ["create"],
  guard: (definition, home) => ({
    ...definition,
    create: (options) => {
      const search = callPart(home, "create", () => definition.create(options));
      if (typeof search?.run !== "function") {
        throw badAnswer(home, "create", `it gave ${kindOfValue(search)} without a function "run"`);
      }
      return withOverrides(search, {
        run: async (scope) => {
          const chosen = await awaitWork(home, "run", () => search.run(scope));
          if (chosen === undefined || (typeof chosen === "object" && chosen !== null && "closed" in chosen))
            return chosen;
          throw badAnswer(home, "run", `it chose ${kindOfValue(chosen)}, not a node`);
        },
      });
    },
  }),
};

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
  const made: SearchDefinition<Options> = { needs: [], ...definition };
  madePart(made as unknown as SearchDefinition, SEARCH);
  return made;
}
