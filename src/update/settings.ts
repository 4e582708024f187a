/** Settings that every update has, whatever its recipe. */
import type { OptionTable, OptionValue, OptionValues } from "../base/option-table.ts";
import { AGGREGATIONS } from "../objective/aggregation.ts";
import { KL_ESTIMATORS } from "../objective/kl-estimators.ts";

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

/** Those of an update: the shared ones by name, and those of its recipe and methods, as `credit.gamma`. */
export type Settings = OptionValues<typeof sharedSettings> & Readonly<Record<string, OptionValue>>;

/** The settings under a prefix, without it: `credit.` gives the options of the credit method. */
export function settingsUnder(settings: Settings, prefix: string): Readonly<Record<string, OptionValue>> {
  const own = Object.entries(settings).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value]));
}
