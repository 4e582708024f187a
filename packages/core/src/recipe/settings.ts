/** Settings that every recipe has, and how a recipe's settings, presets and flags become one resolved configuration. */
import { EngineError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import { resolveOptions, parseOption } from "limbeck-base/base/options";
import type { OptionSpec, OptionTable, OptionValue, OptionValues } from "limbeck-base/base/option-table";
import { getCredit, type CreditId, type allCredits } from "../credit/registry.ts";
import type { CreditMethod } from "../credit/credit.ts";
import { getStrategy } from "../rollout/registry.ts";
import { clipped } from "../objective/clipped.ts";
import { providerTable, type providers, type ProviderId } from "../update/providers/index.ts";
import { nestSettings, sharedSettings, type Settings, flattenSettings } from "../update/settings.ts";
import type { Recipe, FittingStrategy } from "./recipe.ts";
import { option } from "limbeck-base/base/option";
import { namesFile } from "limbeck-base/base/parts/part";
import type { ObjectiveMethod } from "../objective/objective.ts";
import { allObjectives } from "../objective/registry.ts";
import { createSearch, getSearch } from "../search/registry.ts";
import { createValue, values } from "../search/values/index.ts";
import type { Asker } from "../walk/tree/asker.ts";
import type { Search } from "../walk/tree/search.ts";
import type { SearchPlan } from "../walk/tree/search-tasks.ts";
import type { Strategy } from "../walk/line/strategy.ts";
import type { Ledger } from "../update/ledger.ts";
import { searchStrategy } from "./search-strategy.ts";
import type { RecipeId, allRecipes } from "./registry.ts";

const CREDIT = "credit.";
const STRATEGY = "strategy.";
/** Tasks of a training whose strategy lives on tasks that come again. */
const POOL = 64;

/** What is chosen beside recipe and credit method. */
export interface ChosenParts {
  /** Default: the strategy that the credit method is made for. */
  readonly strategy?: string | undefined;
  /** A policy loss in the place of the recipe's own. */
  readonly objective?: string | undefined;
  /** A search that collects episodes in the place of the strategy. */
  readonly collect?: Collecting | undefined;
}

/**
 * Shared settings, the recipe's own, those of the credit method under `credit.NAME`, of its providers under
 * `PROVIDER.NAME`, of the strategy under `strategy.NAME` or of a search in its place under `collect.NAME`, and of a chosen
 * policy loss under `objective.NAME`.
 */
export function settingsTable(
  recipe: Recipe,
  credit: string | CreditMethod,
  { strategy = fittingStrategy(credit, recipe).name, objective = OWN_LOSS, collect }: ChosenParts = {},
): OptionTable {
  const method = typeof credit === "string" ? getCredit(credit) : credit;
  const isOwn = method === getCredit(recipe.credit);
  const defaults: Readonly<Record<string, OptionValue>> = isOwn ? (recipe.creditDefaults ?? {}) : {};
  const fitting = fittingStrategy(credit, recipe);
  const fitted: Readonly<Record<string, OptionValue>> = fitting.name === strategy ? fitting.options : {};
  const given = (specs: OptionTable, other: Readonly<Record<string, OptionValue>>, prefix: string): OptionTable =>
    Object.fromEntries(
      Object.entries(specs).map(([name, spec]) => [
        `${prefix}${name}`,
        (Object.hasOwn(other, name) ? { ...spec, default: other[name] } : spec) as OptionSpec,
      ]),
    );
  // Episodes per task are the shared setting `group`, whatever the strategy calls them.
  const { options, repeats = false } = getStrategy(strategy);
  const { [sizeName(strategy) ?? ""]: _size, ...walked } = options;
  return {
    ...given(sharedSettings, repeats && collect === undefined ? { "tasks.pool": POOL } : {}, ""),
    ...recipe.settings,
    ...takenSettings(recipe, method, objective),
    ...objectiveTable(objective),
    ...given(method.options, defaults, CREDIT),
    ...providerTable(method),
    ...(collect === undefined ? given(walked, fitted, STRATEGY) : { ...collectTable(collect), ...treesOf(recipe) }),
  };
}

/** What a credit method or a policy loss takes in the place of shared settings; what the recipe sets itself stands. */
function takenSettings(recipe: Recipe, { takes, clipScales }: CreditMethod, objective: string): OptionTable {
  const table: OptionTable = { ...sharedSettings, ...recipe.settings };
  const chosen = policyLossOf(objective);
  // Who scales the clip range needs a loss that has one: the recipe's own.
  const who = chosen ?? (clipScales === true ? clipped : undefined);
  const steps = Number(table["epochs"]?.default) * Number(table["miniBatches"]?.default);
  const moving = steps > 1 ? {} : (who?.ratios ?? {});
  const lives = `${chosen === undefined ? "the clip range" : chosen.id} lives on ratios, which one step an update leaves at 1`;
  const taken = Object.entries({ ...takes, ...moving }).filter(([name]) => !Object.hasOwn(recipe.settings, name));
  return Object.fromEntries(
    taken.map(([name, value]) => {
      const spec = table[name] as OptionSpec;
      const because = Object.hasOwn(moving, name) ? lives : "the credit method unlearns at the shared one";
      return [name, { ...spec, default: value, meaning: `${spec.meaning}; ${because}` } as OptionSpec];
    }),
  );
}

/** Trees of a task that a search makes. Default: 1. */
function treesOf({ settings }: Recipe): OptionTable {
  const { group } = { ...sharedSettings, ...settings };
  return { group: { ...group, default: 1, meaning: "trees per task" } };
}

/** What the strategy calls the number of episodes per task; trees count paths. */
function sizeName(strategy: string): string | undefined {
  const { options } = getStrategy(strategy);
  return ["size", "nodes", "width"].find((name) => Object.hasOwn(options, name));
}

/** The same for a rollout with a given number: a strategy that decides it itself does not fit. */
export function neededSizeName(strategy: string): string {
  const name = sizeName(strategy);
  if (name !== undefined) return name;
  const options = Object.keys(getStrategy(strategy).options);
  throw new EngineError(
    "bad-option",
    `The strategy ${strategy} has no number of episodes per task, so a group size cannot be given. Leave it out; its options are ${options.join(", ") || "none"}.`,
    { details: { strategy } },
  );
}

export interface SettingsRequest extends ChosenParts {
  readonly name: string;
  readonly recipe: Recipe;
  readonly credit: string | CreditMethod;
  readonly preset?: string | undefined;
  /** Values of a file or of code. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** `key=value` texts of the command line; they win. */
  readonly texts?: readonly (readonly [string, string])[];
}

/**
 * Everything checked and filled in; an unknown key or an impossible value is an error that names it.
 *
 * @example
 * import { getRecipe } from "limbeck/update";
 *
 * const settings = resolveSettings({ name: "grpo", recipe: getRecipe("grpo"), credit: "grpo", given: { tasks: 3 }, texts: [["group", "5"]] });
 * console.log(settings.tasks.count, settings.group); // 3 5
 */
export function resolveSettings(request: SettingsRequest): Settings {
  const { name, recipe, credit, strategy, collect, preset, given = {}, texts = [] } = request;
  const method = `the recipe ${name}`;
  const chosen = preset === undefined ? {} : lookUp(recipe.presets, preset, `preset of ${name}`);
  // Which options there are depends on the objective, so it is looked for first.
  const said = new Map(texts).get("objective") ?? given["objective"] ?? chosen["objective"];
  const objective = request.objective ?? (typeof said === "string" ? said : OWN_LOSS);
  const table = settingsTable(recipe, credit, { strategy, objective, collect });
  if (request.objective !== undefined) parseOption(table, "objective", request.objective, method);
  const told = Object.fromEntries(texts.map(([key, text]) => [key, parseOption(table, key, text, method)]));
  return nestSettings(resolveOptions(table, { ...chosen, ...given, ...told }, method));
}

/** The options of the strategy among resolved settings. */
export function strategySettings(settings: Settings, strategy: string): Readonly<Record<string, OptionValue>> {
  const size = sizeName(strategy);
  return {
    ...settings.strategy,
    ...(size === undefined ? {} : { [size]: settings.group }),
  };
}

// The rollout strategy that a credit method is made for, where independent episodes would leave it nothing to compare.

/** Trees whose siblings do different things: two that do the same only cancel out. */
const differentSteps: FittingStrategy = { name: "tree", options: { when: "disagreement" } };
/** Trees that part at fixed steps, so that every leaf is a plain sample and values are unbiased. */
const fixedSteps: FittingStrategy = { name: "tree", options: { when: "depth", depth: 3 } };

const FITTING: Readonly<Record<string, FittingStrategy>> = {
  "branch-grpo": fixedSteps,
  fr3e: { name: "fr3e", options: {} },
  "logo-grpo": { name: "counterfactual", options: { of: "all", at: "random", alternatives: 4 } },
  mars2: differentSteps,
  portool: differentSteps,
  r3l: { name: "retry", options: {} },
  rose: { name: "rose", options: {} },
  // Segments are counts of tokens; an episode of the worlds here has about 60.
  "spo-tree": { name: "treepo", options: { segment: 16, firstMost: 4 } },
  "step-grpo": { name: "guided", options: {} },
  treepo: { name: "treepo", options: {} },
  "treeps-rag": { name: "tree", options: { when: "disagreement", frontier: "documents" } },
};

const GROUP: FittingStrategy = { name: "group", options: {} };

/**
 * A recipe that is made for a strategy of its own goes before the credit method.
 *
 * @example
 * console.log(fittingStrategy("grpo").name, fittingStrategy("spo-tree")); // group { name: "treepo", options: { segment: 16, firstMost: 4 } }
 */
export function fittingStrategy(
  credit: string | CreditMethod,
  recipe: { readonly strategy?: FittingStrategy } = {},
): FittingStrategy {
  return recipe.strategy ?? (typeof credit === "string" ? FITTING[credit] : undefined) ?? GROUP;
}

// Which policy loss a training has, and its options as settings: `--objective NAME`, `--set objective.share=0.02`.

const all: Readonly<Record<string, ObjectiveMethod>> = allObjectives;

/** Objectives that can stand for the policy loss. */
export const POLICY_LOSSES: readonly string[] = Object.keys(all).filter((id) => all[id]?.policyLoss === true);

/** The recipe's own loss. */
const OWN_LOSS = "recipe";

/** The setting itself, and the options of the chosen objective under `objective.NAME`. */
function objectiveTable(chosen: string): OptionTable {
  const choice: OptionSpec = option.choice(
    OWN_LOSS,
    [OWN_LOSS, ...POLICY_LOSSES, ...(namesFile(chosen) ? [chosen] : [])],
    "the policy loss; recipe: the recipe's own",
  );
  const method = policyLossOf(chosen);
  if (method === undefined) return { objective: choice };
  const own = Object.entries(method.options).filter(([, { automatic }]) => automatic !== true);
  const settings = own.map(([name, spec]) => [`objective.${name}`, spec as OptionSpec]);
  return { objective: { ...choice, default: chosen }, ...Object.fromEntries(settings) };
}

/** The objective of this name, where it can stand for the policy loss; undefined where the recipe's own stands. */
export function policyLossOf(name: string): ObjectiveMethod | undefined {
  if (!namesFile(name)) return POLICY_LOSSES.includes(name) ? all[name] : undefined;
  const method = lookUp(all, name, "objective");
  if (method.policyLoss) return method;
  throw new EngineError(
    "bad-part",
    `The objective of "${name}" cannot stand for the policy loss: it says policyLoss: false. Give one that says true.`,
  );
}

// A search that collects the episodes of an update: its settings, under `collect.NAME`, and what they come to.

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
  /** The strategy of one update; every model call is booked. */
  strategy(ledger: Ledger, asker: Asker | undefined): Strategy;
}

/** What the settings come to; a search that lacks something is refused by name. */
export function collectorOf(collecting: Collecting, settings: Settings): Collector {
  const given = settings.collect ?? {};
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

// Settings as code gives them: nested, and typed by the recipe and the credit method they are for.

type Values = Readonly<Record<string, OptionValue>>;
type Some<Table> = Partial<OptionValues<Table>>;
type Plain<Table> = {
  readonly [Name in keyof Table as Name extends `${string}.${string}` ? never : Name]: Table[Name];
};

/** The credit method that a recipe uses by itself. */
export type CreditOf<Name extends RecipeId> = (typeof allRecipes)[Name]["credit"];

type CreditOptions<Method> = Method extends CreditId ? Some<(typeof allCredits)[Method]["options"]> : Values;

/** `{ group: 4, credit: { gamma: 0.9 } }`; on a command line `--set group=4 --set credit.gamma=0.9`. */
export type GivenSettings<Name extends RecipeId, Method> = Some<
  Omit<typeof sharedSettings, keyof (typeof allRecipes)[Name]["settings"] | "tasks">
> &
  Some<
    Plain<(typeof allRecipes)[Name]["settings"] extends OptionTable ? (typeof allRecipes)[Name]["settings"] : never>
  > & {
    /** Tasks per update, or how many the run has, or both: `tasks: { count: 4, pool: 64 }`. */
    readonly tasks?: number | { readonly count?: number; readonly pool?: number | null };
    readonly credit?: CreditOptions<Method>;
    readonly strategy?: Values;
    readonly collect?: Values;
    /** Its name, or its options; the name is then the option `objective` of the training. */
    readonly objective?: string | Values;
    readonly pairs?: Values;
  } & { readonly [Id in ProviderId]?: Some<(typeof providers)[Id]["options"]> };

/** With dots in the place of nesting. What is neither a value nor a group of values is refused by name. */
export function flatSettings(given: Readonly<Record<string, unknown>>): Record<string, OptionValue> {
  const there = (group: object): [string, unknown][] =>
    Object.entries(group).filter(([, value]: [string, unknown]) => value !== undefined);
  const checked = there(given).map(([name, value]) => {
    if (isValue(value)) return [name, value];
    if (typeof value !== "object" || Array.isArray(value)) throw noSetting(name, value);
    const own = there(value);
    for (const [inner, one] of own) if (!isValue(one)) throw noSetting(`${name}.${inner}`, one);
    return [name, Object.fromEntries(own)];
  });
  return flattenSettings(Object.fromEntries(checked) as object);
}

function isValue(value: unknown): value is OptionValue {
  return value === null || ["number", "string", "boolean"].includes(typeof value);
}

function noSetting(name: string, value: unknown): EngineError {
  return new EngineError(
    "usage",
    `The setting ${name} is ${Array.isArray(value) ? "a list" : `a ${typeof value}`}; a setting is a number, a text, true, false or null, and settings nest one level deep (credit: { gamma: 0.9 }).`,
    { details: { setting: name } },
  );
}
