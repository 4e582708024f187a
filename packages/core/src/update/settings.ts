/** Settings that every update has, whatever its recipe. */
import { option } from "limbeck-base/base/option";
import type { OptionTable, OptionValue, OptionValues } from "limbeck-base/base/option-table";
import { AGGREGATIONS } from "../objective/aggregation.ts";
import { SCHEDULES } from "limbeck-policy/policy/schedule";
import { KL_ESTIMATORS } from "../objective/kl-estimators.ts";

/** How an episode is prompted. */
export const PROMPTS = ["append", "rebuilt", "memory", "context"] as const;

/** Below 1, where Adam would divide by zero. */
const MOST_BETA = 0.999_999;

export const sharedSettings = {
  tasks: option.count(8, "tasks per update"),
  "tasks.pool": option.limit(
    null,
    "training tasks that the run has, each visited once before any twice, at most the split; none: all of the split",
    { least: 1, whole: true },
  ),
  "tasks.seed": option.limit(
    null,
    "seed that decides which tasks there are; runs that share episodes give the same. None: the run's own",
    { least: 0, whole: true },
  ),
  group: option.count(8, "episodes per task"),
  temperature: option.number(1, "temperature of training episodes", { least: 1, most: 1 }),
  answerTokens: option.count(24, "most tokens of one answer"),
  system: option.text(null, "system message; none: no such message"),
  answerForm: option.choice("plain", ["plain", "tagged"], "the answer is the action, or it stands in <action> tags"),
  prompts: option.choice(
    "append",
    PROMPTS,
    "one growing conversation, a fresh prompt at every step, one with notes of the model, or one that it condenses itself",
  ),
  history: option.count(4, "turns shown in rebuilt prompts", 0),
  thinking: option.limit(
    null,
    "on or off, by the switch of the chat template, or tokens of thoughts beside answerTokens; the action stands after </think>. None: as the template does it",
    { least: 1, whole: true, words: ["on", "off"] },
  ),
  stop: option.text(
    null,
    "a text that also ends an answer, or several as a JSON list; none: the end of the turn alone",
  ),
  maxSteps: option.limit(null, "steps of an episode; none: the world's own", { least: 1, whole: true }),
  learningRate: option.number(3e-4, "learning rate", { least: 0 }),
  warmup: option.count(0, "updates until the full learning rate", 0),
  schedule: option.choice("constant", SCHEDULES, "how the learning rate goes from there to finalLearningRate"),
  finalLearningRate: option.number(0, "learning rate after the last update, where the schedule is not constant", {
    least: 0,
  }),
  beta1: option.number(0.9, "how much of the gradients' mean Adam keeps at each step", { least: 0, most: MOST_BETA }),
  beta2: option.limit(
    null,
    "how much of the squares' mean it keeps; none: 0.999, or 0.99 where a trainer's type cannot hold that",
    { least: 0, most: MOST_BETA },
  ),
  epsilon: option.number(1e-8, "what is added to the root of the squares' mean", { above: 0 }),
  clipNorm: option.limit(1, "largest norm of the gradient", { least: 0 }),
  weightDecay: option.number(0, "decoupled weight decay", { least: 0 }),
  epochs: option.count(1, "times each batch is learned from"),
  miniBatches: option.count(1, "steps of the optimiser per epoch"),
  clipLow: option.share(0.2, "how far the ratio may fall below 1"),
  clipHigh: option.number(0.2, "how far the ratio may rise above 1", { least: 0 }),
  dualClip: option.limit(3, "bound of the loss where the advantage is negative", { least: 1 }),
  aggregation: option.choice("token-mean", AGGREGATIONS, "from losses per token to one"),
  klWeight: option.number(0, "weight of the divergence from the start", { least: 0 }),
  klEstimator: option.choice("k3", KL_ESTIMATORS, "its estimator"),
  screens: option.choice(
    "warn",
    ["off", "warn", "stop"],
    "what happens when a screen against gamed rewards finds something",
  ),
  doctor: option.choice(
    "warn",
    ["off", "warn", "stop"],
    "whether the run doctor says what looks wrong; stop: a training that has collapsed also ends",
  ),
  brake: option.choice(
    "stop",
    ["stop", "slow", "off"],
    "what happens where success does not rise while the policy tries nothing new or is far from its start, or where validation falls below the start's; stop: a smaller learning rate, then the training ends, slow: the smaller rate alone",
  ),
  idleSteps: option.flag(
    false,
    "step the optimiser, by the momentum of earlier updates, also in one in which no group differs, as published code does",
  ),
  penaltyGroups: option.choice(
    "differing",
    ["differing", "all"],
    "where an invalid action costs credit.invalidPenalty; differing: in groups whose episodes end differently, all: in every group, as published code does",
  ),
  stepShare: option.share(1, "share of each group's steps that is learned from, those of highest entropy first (DART)"),
  entropyWeight: option.number(0, "weight of the entropy bonus", { least: 0 }),
} as const satisfies OptionTable;

export type Values = Readonly<Record<string, OptionValue>>;

/** What code looks at that serves every recipe, and only some recipes have. */
type OptionalSettings = {
  readonly analyst?: string;
  readonly answers?: string;
  readonly divergenceWeight?: number;
  readonly form?: string;
  readonly guard?: boolean;
  readonly skillInPrompt?: boolean;
  readonly stepSkills?: number;
  readonly sections?: string;
  readonly anchors?: string;
  readonly teacher?: string;
  readonly teacherDecay?: number;
  readonly teacherSource?: string | null;
  readonly thought?: string;
};

/** Options of the value head's provider, where there is one. */
type ValueHead = { readonly weight?: number; readonly clip?: number | null; readonly warmUp?: number };

/**
 * The settings of an update: the shared ones by name, and groups of those of its methods, as `credit.gamma`. A name that
 * has a value and a group too has its value in the group: `tasks.count`, `objective.name`, `context.name`. They are
 * stored, sent and hashed flat, with dots.
 */
export type Settings = Omit<OptionValues<typeof sharedSettings>, "tasks" | "tasks.pool" | "tasks.seed"> &
  OptionalSettings & {
    readonly tasks: { readonly count: number; readonly pool: number | null; readonly seed: number | null };
    readonly credit: Values & {
      readonly gamma?: number;
      readonly episodeWeight?: number;
      readonly stepWeight?: number;
    };
    readonly objective: Values & { readonly name: string };
    readonly strategy?: Values;
    readonly collect?: Values;
    readonly pairs?: Values;
    readonly context?: Values & { readonly name: string };
    readonly "value-head"?: ValueHead;
  };

/** What the value of a name is called in the group of that name. */
const MAIN: Readonly<Record<string, string>> = { tasks: "count", objective: "name", context: "name" };
const mainOf = (group: string): string => MAIN[group] ?? "main";

/**
 * Settings in groups, from names with dots.
 *
 * @example
 * const { tasks, credit } = nestSettings({ tasks: 4, "tasks.pool": null, group: 8, "credit.gamma": 0.9 });
 * console.log(tasks, credit); // { count: 4, pool: null } { gamma: 0.9 }
 */
export function nestSettings(flat: Values): Settings {
  const names = Object.keys(flat);
  const groups = new Set([
    ...Object.keys(MAIN),
    ...names.flatMap((name) => (name.includes(".") ? [groupIn(name)] : [])),
  ]);
  const nested: Record<string, OptionValue | Record<string, OptionValue>> = {};
  for (const [name, value] of Object.entries(flat)) {
    const group = groupIn(name);
    if (!groups.has(group)) {
      nested[name] = value;
      continue;
    }
    const own = (nested[group] ??= {}) as Record<string, OptionValue>;
    own[name === group ? mainOf(group) : name.slice(group.length + 1)] = value;
  }
  nested["credit"] ??= {};
  return nested as unknown as Settings;
}

/**
 * The same with dots, in the same order.
 *
 * @example
 * console.log(flattenSettings({ tasks: { count: 4 }, credit: { gamma: 0.9 } })); // { tasks: 4, 'credit.gamma': 0.9 }
 */
export function flattenSettings(nested: object): Record<string, OptionValue> {
  return Object.fromEntries(
    Object.entries(nested).flatMap(([name, value]: [string, OptionValue | Values]) =>
      typeof value === "object" && value !== null
        ? Object.entries(value).map(([own, inner]) => [own === mainOf(name) ? name : `${name}.${own}`, inner] as const)
        : [[name, value] as const],
    ),
  );
}

/** What updates did before there were these settings. */
export const EARLIER_SETTINGS = { brake: "off", idleSteps: true, penaltyGroups: "all" } as const;

/** The same with what only some recipes have, for comparing. */
export const EARLIER_VALUES: Readonly<Record<string, OptionValue>> = {
  ...EARLIER_SETTINGS,
  trialEvery: 0,
  demonstrations: "none",
  demonstrationSteps: 4,
};

/** What tells the settings of one run from those of another: an earlier run, which lacks the newer ones, has the same. */
export function courseSettings(settings: object): Record<string, OptionValue> {
  return Object.fromEntries(
    Object.entries(flattenSettings(settings)).filter(([name, value]) => EARLIER_VALUES[name] !== value),
  );
}

/** The options under this name; none where there is no such group. */
export function settingsOf(settings: Settings, group: string): Values {
  const { [group]: own } = settings as Readonly<Record<string, unknown>>;
  return typeof own === "object" && own !== null ? (own as Values) : {};
}

function groupIn(name: string): string {
  const at = name.indexOf(".");
  return at < 0 ? name : name.slice(0, at);
}
