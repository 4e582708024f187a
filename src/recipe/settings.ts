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
import { AGGREGATIONS, KL_ESTIMATORS } from "../train/index.ts";
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
  entropyWeight: { kind: "number", default: 0, least: 0, meaning: "weight of the entropy bonus" },
} as const satisfies OptionTable;

export type Settings = Readonly<Record<string, OptionValue>>;

const CREDIT = "credit.";
const STRATEGY = "strategy.";

/** Shared settings, the recipe's own, those of the credit method under `credit.NAME`, of the strategy under `strategy.NAME`. */
export function settingsTable(recipe: Recipe, credit: string, strategy = "group"): OptionTable {
  const defaults: Readonly<Record<string, OptionValue>> = credit === recipe.credit ? (recipe.creditDefaults ?? {}) : {};
  const assigned = Object.entries(getCredit(credit).options).map(([name, spec]) => [
    `${CREDIT}${name}`,
    (Object.hasOwn(defaults, name) ? { ...spec, default: defaults[name] } : spec) as OptionSpec,
  ]);
  // Episodes per task are the shared setting `group`, whatever the strategy calls them.
  const walked = Object.entries(getStrategy(strategy).options).flatMap(([name, spec]) =>
    name === "size" ? [] : [[`${STRATEGY}${name}`, spec]],
  );
  return { ...sharedSettings, ...recipe.settings, ...Object.fromEntries([...assigned, ...walked]) };
}

export interface SettingsRequest {
  readonly name: string;
  readonly recipe: Recipe;
  readonly credit: string;
  /** "group" unless told. */
  readonly strategy?: string;
  readonly preset?: string | undefined;
  /** Values of a file or of code. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** `key=value` texts of the command line; they win. */
  readonly texts?: readonly (readonly [string, string])[];
}

/** Everything checked and filled in; an unknown key or an impossible value is an error that names it. */
export function resolveSettings(request: SettingsRequest): Settings {
  const { name, recipe, credit, strategy, preset, given = {}, texts = [] } = request;
  const table = settingsTable(recipe, credit, strategy);
  const method = `the recipe ${name}`;
  const chosen = preset === undefined ? {} : lookUp(recipe.presets, preset, `preset of ${name}`);
  const told = Object.fromEntries(texts.map(([key, text]) => [key, parseOption(table, key, text, method)]));
  return resolveOptions(table, { ...chosen, ...given, ...told }, method);
}

/** The options of the credit method among resolved settings. */
export function creditSettings(settings: Settings): Settings {
  return under(settings, CREDIT);
}

/** The options of the strategy among resolved settings. */
export function strategySettings(settings: Settings, strategy: string): Settings {
  const size = Object.hasOwn(getStrategy(strategy).options, "size") ? { size: settings["group"] as OptionValue } : {};
  return { ...under(settings, STRATEGY), ...size };
}

function under(settings: Settings, prefix: string): Settings {
  const own = Object.entries(settings).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value]));
}
