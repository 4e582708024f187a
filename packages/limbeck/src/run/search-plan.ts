/** A search with all it is given: from names or parts to a plan. A plan is such settings too. */
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { createSearch } from "limbeck-core/search/registry";
import { createValue } from "limbeck-core/search/values/index";
import type { Asker } from "limbeck-core/walk/tree/asker";
import type { OutcomeScorer } from "limbeck-core/walk/judge";
import type { Search, Value } from "limbeck-core/walk/tree/search";
import type { Budget, TokenPrices } from "limbeck-core/walk/purse";
import type { SearchPlan, StrategySearch } from "limbeck-core/walk/tree/search-tasks";
import type { Demonstrator } from "limbeck-core/env/expert";
import { createStrategy } from "limbeck-core/rollout/registry";
import type { JsonObject } from "limbeck-base/base/json";
import type { Writer } from "limbeck-core/skill/skill";
import { namedScorer } from "limbeck-training/training/scorer/open-scorer";
import { writerAsker } from "limbeck-training/training/writer-asker";
import { openWriter } from "limbeck-core/skill/writer/open-writer";
import { assistantsOf } from "limbeck-core/update/assistants";
import { countedWriter } from "limbeck-core/update/context";
import { DEFAULTS } from "./defaults.ts";

export interface SearchSettings {
  /** A search by name, one of your own, or a function that makes one for each task. Default: "best-of-n". */
  readonly search?: string | Search | SearchPlan["search"];
  /**
   * A rollout strategy by name, or a function that makes one for each task, that spends the budget in the place of a
   * search; the best line it walks counts. Default: none.
   */
  readonly strategy?: string | StrategySearch["strategy"] | undefined;
  /** The demonstrator of strategies that need one. Default: none. */
  readonly demonstrator?: Demonstrator | undefined;
  /** Options of a search or a strategy that is named. */
  readonly searchOptions?: Readonly<Record<string, unknown>>;
  /** What the search of one task may spend. Default: the method decides when it has enough. */
  readonly budget?: Budget;
  /** For a budget in US dollars. */
  readonly prices?: TokenPrices | undefined;
  /** What an unfinished episode is worth, by name or of your own. Default: the search's own. */
  readonly value?: string | Value | undefined;
  /** Options of a value that is named. */
  readonly valueOptions?: Readonly<Record<string, unknown>>;
  /**
   * Who says how likely unfinished episodes are to succeed: it is the value of a search, and what strategies ask. A folder
   * of limbeck reward train, the name of a bundled scorer, or one of your own. Default: none.
   */
  readonly scorer?: string | OutcomeScorer | undefined;
  /** Whom it may ask as judge and planner; true: the chat model of the environment, as a writer. Default: the writer. */
  readonly asker?: boolean | Asker;
  /**
   * Who writes plans, critiques and reflections, by the contract of every writer; where it cannot, the search goes by its own
   * rule. Default: none; of reflections for a strategy, the demonstrator.
   */
  readonly writer?: Writer | undefined;
  /** Whether it may look at how the world scores what has ended. Default: yes. */
  readonly seesOutcome?: boolean;
}

export interface OpenedSearch {
  readonly plan: SearchPlan;
  /** As a run keeps it; what has no name is called "own". */
  readonly config: JsonObject;
  /** Counts of texts written so far (`writer/model`), and of those that were of no use (`writer/nobody`). */
  readonly written: Readonly<Record<string, number>>;
  close(): Promise<void>;
}

const OWN = "own";

/**
 * Opens a search with all it is given; the caller closes it.
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
  const written: Record<string, number> = {};
  const given = settings.writer && countedWriter(settings.writer, written);
  const { scorer } = settings;
  if (scorer !== undefined && value !== undefined && value !== "critic") {
    throw new EngineError("usage", "A scorer is the value of the search (critic): leave out the other value, or it.");
  }
  const named = typeof scorer === "string" ? await namedScorer(scorer) : undefined;
  const outcomeScorer = named ?? (scorer as OutcomeScorer | undefined);
  const make =
    settings.strategy === undefined
      ? searchOf(search, searchOptions)
      : strategyOf({ ...settings, writer: given, outcomeScorer });
  const valueName = value ?? (outcomeScorer === undefined || settings.strategy !== undefined ? undefined : "critic");
  const valued =
    typeof valueName === "string"
      ? createValue(valueName, valueOptions, withoutUndefined({ outcomeScorer }))
      : valueName;
  const chat = asker === true ? await openWriter("chat", { environment }) : undefined;
  const writer = (chat && countedWriter(chat, written)) ?? (settings.strategy === undefined ? given : undefined);
  const asked = typeof asker === "function" ? asker : writer && writerAsker(writer);
  const config = {
    ...(settings.strategy === undefined
      ? { method: typeof search === "string" ? search : OWN }
      : { strategy: typeof settings.strategy === "string" ? settings.strategy : OWN }),
    options: searchOptions,
    budget,
    seesOutcome,
    asks: asked !== undefined,
    value:
      valueName === undefined ? null : { name: typeof valueName === "string" ? valueName : OWN, options: valueOptions },
    ...(scorer === undefined ? {} : { scorer: typeof scorer === "string" ? scorer : OWN }),
  };
  return {
    plan: {
      search: make,
      budget,
      seesOutcome,
      ...withoutUndefined({ value: valued, prices }),
      ...(asked === undefined ? {} : { asker: asked }),
    },
    config: config as unknown as JsonObject,
    written,
    close: async () => {
      await chat?.close?.();
      await named?.close();
    },
  };
}

function searchOf(
  search: NonNullable<SearchSettings["search"]>,
  options: Readonly<Record<string, unknown>>,
): SearchPlan["search"] {
  if (typeof search === "string") return () => createSearch(search, options);
  return typeof search === "function" ? search : () => search;
}

/** What is compared are whole episodes, so there is no place for a value of unfinished ones, nor for a judge. */
function strategyOf(
  settings: SearchSettings & { readonly outcomeScorer: OutcomeScorer | undefined },
): SearchPlan["search"] {
  const { strategy = "", searchOptions = {}, demonstrator, writer, outcomeScorer } = settings;
  const stray = (["search", "value", "asker"] as const).find((name) => (settings[name] ?? false) !== false);
  if (stray !== undefined) {
    throw new EngineError("usage", `A strategy searches by itself: leave out ${stray}, or the strategy.`);
  }
  const make = typeof strategy === "string" ? () => createStrategy(strategy, searchOptions) : strategy;
  const name = typeof strategy === "string" ? strategy : OWN;
  // Made once before anything is played, so that a wrong option is refused at once.
  const needs = make().needs ?? [];
  return () => ({
    name,
    strategy: make,
    assistants: ({ env, agent, seed }) =>
      assistantsOf({ env, agent, demonstrator, writer, outcomeScorer, needs, seed, peers: PEERS, episode: undefined }),
  });
}

/** Episodes that strategies with a pool find in it, of the same policy with other draws. */
const PEERS = 4;
