/** Settings that every recipe has, and how a recipe's settings, presets and flags become one resolved configuration. */
import {
  lookUp,
  parseOption,
  resolveOptions,
  type OptionSpec,
  type OptionTable,
  type OptionValue,
} from "../base/index.ts";
import { getCredit } from "../credit/index.ts";
import { getStrategy } from "../rollout/index.ts";
import { AGGREGATIONS, KL_ESTIMATORS } from "../objective/index.ts";
import { objectiveTable, OWN_LOSS } from "../update/objective-settings.ts";
import { providerTable } from "../update/providers/index.ts";
import { fittingStrategy } from "../update/providers/strategies.ts";
import type { Recipe } from "./recipe.ts";

export const sharedSettings = {
  tasks: { kind: "number", default: 8, least: 1, whole: true, meaning: "tasks per update" },
  group: { kind: "number", default: 8, least: 1, whole: true, meaning: "episodes per task" },
  temperature: { kind: "number", default: 1, least: 1, most: 1, meaning: "temperature of training episodes" },
  answerTokens: { kind: "number", default: 24, least: 1, whole: true, meaning: "most tokens of one answer" },
  maxSteps: {
    kind: "limit",
    default: null,
    least: 1,
    whole: true,
    meaning: "steps of an episode; none: the world's own",
  },
  learningRate: { kind: "number", default: 3e-4, least: 0, meaning: "learning rate" },
  warmup: { kind: "number", default: 0, least: 0, whole: true, meaning: "updates until the full learning rate" },
  clipNorm: { kind: "limit", default: 1, least: 0, meaning: "largest norm of the gradient" },
  weightDecay: { kind: "number", default: 0, least: 0, meaning: "decoupled weight decay" },
  epochs: { kind: "number", default: 1, least: 1, whole: true, meaning: "times each batch is learned from" },
  miniBatches: { kind: "number", default: 1, least: 1, whole: true, meaning: "steps of the optimiser per epoch" },
  clipLow: { kind: "number", default: 0.2, least: 0, most: 1, meaning: "how far the ratio may fall below 1" },
  clipHigh: { kind: "number", default: 0.2, least: 0, meaning: "how far the ratio may rise above 1" },
  dualClip: { kind: "limit", default: 3, least: 1, meaning: "bound of the loss where the advantage is negative" },
  aggregation: {
    kind: "choice",
    default: "token-mean",
    choices: AGGREGATIONS,
    meaning: "from losses per token to one",
  },
  klWeight: { kind: "number", default: 0, least: 0, meaning: "weight of the divergence from the start" },
  klEstimator: { kind: "choice", default: "k3", choices: KL_ESTIMATORS, meaning: "its estimator" },
  screens: {
    kind: "choice",
    default: "warn",
    choices: ["off", "warn", "stop"],
    meaning: "what happens when a screen against gamed rewards finds something",
  },
  stepShare: {
    kind: "number",
    default: 1,
    least: 0,
    most: 1,
    meaning: "share of each group's steps that is learned from, those of highest entropy first (DART)",
  },
  entropyWeight: { kind: "number", default: 0, least: 0, meaning: "weight of the entropy bonus" },
} as const satisfies OptionTable;

export type Settings = Readonly<Record<string, OptionValue>>;

const CREDIT = "credit.";
const STRATEGY = "strategy.";

/**
 * Shared settings, the recipe's own, those of the credit method under `credit.NAME`, of its providers under
 * `PROVIDER.NAME`, of the strategy under `strategy.NAME` and of a chosen policy loss under `objective.NAME`.
 */
export function settingsTable(
  recipe: Recipe,
  credit: string,
  strategy = fittingStrategy(credit, recipe).name as string,
  objective: string = OWN_LOSS,
): OptionTable {
  const defaults: Readonly<Record<string, OptionValue>> = credit === recipe.credit ? (recipe.creditDefaults ?? {}) : {};
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
  const { [sizeName(strategy) ?? ""]: _size, ...walked } = getStrategy(strategy).options;
  return {
    ...sharedSettings,
    ...recipe.settings,
    ...objectiveTable(objective),
    ...given(getCredit(credit).options, defaults, CREDIT),
    ...providerTable(credit),
    ...given(walked, fitted, STRATEGY),
  };
}

/** What the strategy calls the number of episodes per task; trees count paths. */
function sizeName(strategy: string): string | undefined {
  const { options } = getStrategy(strategy);
  return ["size", "nodes", "width"].find((name) => Object.hasOwn(options, name));
}

export interface SettingsRequest {
  readonly name: string;
  readonly recipe: Recipe;
  readonly credit: string;
  /** The one that the credit method is made for unless told. */
  readonly strategy?: string;
  /** A policy loss in the place of the recipe's own. */
  readonly objective?: string | undefined;
  readonly preset?: string | undefined;
  /** Values of a file or of code. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** `key=value` texts of the command line; they win. */
  readonly texts?: readonly (readonly [string, string])[];
}

/** Everything checked and filled in; an unknown key or an impossible value is an error that names it. */
export function resolveSettings(request: SettingsRequest): Settings {
  const { name, recipe, credit, strategy, preset, given = {}, texts = [] } = request;
  const method = `the recipe ${name}`;
  const chosen = preset === undefined ? {} : lookUp(recipe.presets, preset, `preset of ${name}`);
  // Which options there are depends on the objective, so it is looked for first.
  const said = new Map(texts).get("objective") ?? given["objective"] ?? chosen["objective"];
  const objective = request.objective ?? (typeof said === "string" ? said : OWN_LOSS);
  const table = settingsTable(recipe, credit, strategy, objective);
  if (request.objective !== undefined) parseOption(table, "objective", request.objective, method);
  const told = Object.fromEntries(texts.map(([key, text]) => [key, parseOption(table, key, text, method)]));
  return resolveOptions(table, { ...chosen, ...given, ...told }, method);
}

/** The options of the credit method among resolved settings. */
export function creditSettings(settings: Settings): Settings {
  return under(settings, CREDIT);
}

/** The options of the strategy among resolved settings. */
export function strategySettings(settings: Settings, strategy: string): Settings {
  const size = sizeName(strategy);
  return { ...under(settings, STRATEGY), ...(size === undefined ? {} : { [size]: settings["group"] as OptionValue }) };
}

function under(settings: Settings, prefix: string): Settings {
  const own = Object.entries(settings).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value]));
}
