/** A search that collects the episodes of an update: its settings, under `collect.NAME`, and what they come to. */
import { EngineError, option, resolveOptions, type OptionTable, type OptionValue } from "../base/index.ts";
import { createSearch, createValue, getSearch, values } from "../search/index.ts";
import type { Asker, Search, SearchPlan, Strategy } from "../walk/index.ts";
import type { Ledger } from "../update/ledger.ts";
import { settingsUnder, type Settings } from "../update/settings.ts";
import { searchStrategy } from "./search-strategy.ts";

const COLLECT = "collect.";
const OWN = "own";

const limit = (what: string) =>
  option.limit(null, `${what} of one tree; none: the search decides when it has enough`, { least: 0 });

/** What every search that collects takes besides its own options. */
const treeSettings = {
  envSteps: limit("environment steps"),
  sampledTokens: limit("tokens said"),
  tokens: limit("tokens read and said"),
  modelCalls: limit("model calls"),
  seconds: limit("seconds"),
  value: option.choice(
    OWN,
    [OWN, ...Object.keys(values)],
    "what an unfinished episode is worth; own: as the search sees it",
  ),
  asker: option.flag(false, "let it ask the chat model (LIMBECK_CHAT_…) as judge and planner"),
  seesOutcome: option.flag(true, "whether it may look at how the world scores what has ended"),
} as const satisfies OptionTable;

const BUDGETS = ["envSteps", "sampledTokens", "tokens", "modelCalls", "seconds"] as const;

/** A search by name, or a function that makes one for each tree. */
export type Collecting = string | (() => Search & { readonly name?: string });

/** Of a search by name also its own options. */
export function collectTable(collecting: Collecting): OptionTable {
  const own: OptionTable = typeof collecting === "string" ? getSearch(collecting).options : {};
  // A tree that ends with its first success has little to compare that with.
  const { stop } = own;
  const further: OptionTable = stop?.kind === "flag" ? { stop: { ...stop, default: false } } : {};
  return Object.fromEntries(
    Object.entries({ ...own, ...further, ...treeSettings }).map(([name, spec]) => [COLLECT + name, spec]),
  );
}

/** A search that is ready to collect. */
export interface Collector {
  readonly asks: boolean;
  /** The strategy of one update; whoever is asked is booked. */
  strategy(ledger: Ledger, asker: Asker | undefined): Strategy;
}

/** What the settings come to; a search that lacks something is refused by name. */
export function collectorOf(collecting: Collecting, settings: Settings): Collector {
  const given = settingsUnder(settings, COLLECT);
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(treeSettings, name)));
  const told = resolveOptions(
    treeSettings,
    Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(treeSettings, name))),
    "collect",
  );
  const search = typeof collecting === "string" ? () => createSearch(collecting, own) : collecting;
  const value = told.value === OWN ? undefined : createValue(told.value);
  requireNeeds(search(), { value: value !== undefined, ask: told.asker });
  const budget = Object.fromEntries(
    BUDGETS.flatMap((kind): [string, OptionValue][] => (told[kind] === null ? [] : [[kind, told[kind]]])),
  );
  const plan: Omit<SearchPlan, "search"> = {
    budget,
    seesOutcome: told.seesOutcome,
    ...(value === undefined ? {} : { value }),
  };
  const trees = settings.group;
  return {
    asks: told.asker,
    strategy: (ledger, asker) =>
      searchStrategy({ ...plan, search, trees, ...(asker === undefined ? {} : { asker: booked(asker, ledger) }) }),
  };
}

const GIVEN_BY = { ask: "collect.asker=true", value: "collect.value=NAME" } as const;

function requireNeeds(
  search: Search & { readonly name?: string; readonly needs?: readonly string[] },
  there: Readonly<Record<keyof typeof GIVEN_BY, boolean>>,
): void {
  const has = { ...there, value: there.value || search.value !== undefined };
  const missing = (["ask", "value"] as const).filter((need) => search.needs?.includes(need) === true && !has[need]);
  if (missing.length === 0) return;
  throw new EngineError(
    "needs-unmet",
    `The search ${search.name ?? OWN} cannot collect without ${missing.map((need) => GIVEN_BY[need]).join(" and ")}. Set it, or choose another --collect.`,
    { details: { missing } },
  );
}

function booked(asker: Asker, ledger: Ledger): Asker {
  return async (prompt, options) => {
    const answer = await asker(prompt, options);
    const { promptTokens = 0, completionTokens = 0 } = answer.usage ?? {};
    ledger.book({ modelTokens: promptTokens, sampledTokens: completionTokens });
    return answer;
  };
}
