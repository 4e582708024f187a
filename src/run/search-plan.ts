/** A search with all it is given: from names or parts to a plan. A plan is such settings too. */
import { createSearch, createValue } from "../search/index.ts";
import {
  createAsker,
  type Asker,
  type Search,
  type Budget,
  type SearchPlan,
  type TokenPrices,
  type Value,
} from "../walk/index.ts";
import type { JsonObject } from "../trajectory/index.ts";
import { DEFAULTS } from "./defaults.ts";

export interface SearchSettings {
  /** A search by name, one of your own, or a function that makes one for each task. Default: "best-of-n". */
  readonly search?: string | Search | (() => Search);
  /** Options of a search that is named. */
  readonly searchOptions?: Readonly<Record<string, unknown>>;
  /** What the search of one task may spend. Default: the method decides when it has enough. */
  readonly budget?: Budget;
  /** For a budget in US dollars. */
  readonly prices?: TokenPrices | undefined;
  /** What an unfinished episode is worth, by name or of your own. Default: the search's own. */
  readonly value?: string | Value | undefined;
  /** Options of a value that is named. */
  readonly valueOptions?: Readonly<Record<string, unknown>>;
  /** Whom it may ask as judge and planner; true: the chat model of the environment. Default: nobody. */
  readonly asker?: boolean | Asker;
  /** Whether it may look at how the world scores what has ended. Default: yes. */
  readonly seesOutcome?: boolean;
}

export interface OpenedSearch {
  readonly plan: SearchPlan;
  /** As a run keeps it; what has no name is called "own". */
  readonly config: JsonObject;
  close(): Promise<void>;
}

const OWN = "own";

/**
 * Opens a search with all it is given; whoever opens it closes it.
 *
 * @example
 * const { plan, close } = await openSearch({ search: "best-of-n", searchOptions: { n: 2 } });
 * console.log((await evaluate({ env: "countdown", policy: "expert", tasks: 1, search: plan })).success); // 1
 * await close();
 */
export async function openSearch(
  settings: SearchSettings,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<OpenedSearch> {
  const { search = DEFAULTS.search, searchOptions = {}, budget = {}, prices, value, valueOptions = {} } = settings;
  const { asker = false, seesOutcome = true } = settings;
  const make = typeof search === "string" ? () => createSearch(search, searchOptions) : search;
  const valued = typeof value === "string" ? createValue(value, valueOptions) : value;
  const asked = asker === true ? await chatAsker(environment) : { asker, close: () => Promise.resolve() };
  const config = {
    method: typeof search === "string" ? search : OWN,
    options: searchOptions,
    budget,
    seesOutcome,
    asks: asker !== false,
    value: value === undefined ? null : { name: typeof value === "string" ? value : OWN, options: valueOptions },
  };
  return {
    plan: {
      search: typeof make === "function" ? make : () => make,
      budget,
      seesOutcome,
      ...(valued === undefined ? {} : { value: valued }),
      ...(prices === undefined ? {} : { prices }),
      ...(asked.asker === false ? {} : { asker: asked.asker }),
    },
    config: config as unknown as JsonObject,
    close: asked.close,
  };
}

async function chatAsker(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly asker: Asker; close(): Promise<void> }> {
  const { chatServerFrom, createChatPolicy, openChatModel } = await import("../policy/chat/index.ts");
  const policy = createChatPolicy(openChatModel(chatServerFrom(environment), { concurrency: 8 }));
  return { asker: createAsker(policy), close: () => policy.close() };
}
