/** Settings that every recipe has, and how a recipe's settings, presets and flags become one resolved configuration. */
import {
  EngineError,
  lookUp,
  resolveOptions,
  type OptionSpec,
  type OptionTable,
  type OptionValue,
} from "../base/index.ts";
import { parseOption } from "../base/options.ts";
import { getCredit, type CreditMethod } from "../credit/index.ts";
import { getStrategy } from "../rollout/index.ts";
import { collectTable, type Collecting } from "./collect-settings.ts";
import { clipped } from "../objective/clipped.ts";
import { objectiveTable, OWN_LOSS, policyLossOf } from "./objective-settings.ts";
import { providerTable } from "../update/providers/index.ts";
import { fittingStrategy } from "./fitting-strategy.ts";
import { settingsUnder, sharedSettings, type Settings } from "../update/settings.ts";
import type { Recipe } from "./recipe.ts";

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

/** A search makes as many trees of a task as it is told, one by itself. */
function treesOf({ settings }: Recipe): OptionTable {
  const { group } = { ...sharedSettings, ...settings };
  return { group: { ...group, default: 1, meaning: "trees per task" } };
}

/** What the strategy calls the number of episodes per task; trees count paths. */
function sizeName(strategy: string): string | undefined {
  const { options } = getStrategy(strategy);
  return ["size", "nodes", "width"].find((name) => Object.hasOwn(options, name));
}

/** The same for a rollout that was told how many: a strategy that decides it itself is no strategy for that. */
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
 * import { getRecipe } from "limbeck/recipe";
 *
 * const settings = resolveSettings({ name: "grpo", recipe: getRecipe("grpo"), credit: "grpo", given: { tasks: 3 }, texts: [["group", "5"]] });
 * console.log(settings.tasks, settings.group); // 3 5
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
  return resolveOptions(table, { ...chosen, ...given, ...told }, method) as Settings;
}

/** The options of the strategy among resolved settings. */
export function strategySettings(settings: Settings, strategy: string): Readonly<Record<string, OptionValue>> {
  const size = sizeName(strategy);
  return {
    ...settingsUnder(settings, STRATEGY),
    ...(size === undefined ? {} : { [size]: settings.group }),
  };
}
