/** An update on preferences: play, find pairs, learn which side is better. What the recipes of this kind differ in is who is played and how pairs are found. */
import { option } from "limbeck-base/base/option";
import type { OptionSpec, OptionTable, OptionValues } from "limbeck-base/base/option-table";
import { findPairs, getPairSource, type PairSourceId } from "../distill/pairs/index.ts";
import { buildPairRows } from "../distill/pairs/pair-rows.ts";
import type { Pair } from "../distill/pairs/pair.ts";
import type { WeightedObjective } from "../objective/combine.ts";
import { dpo } from "../objective/dpo.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { gatherRows, gatherSettings } from "./gather.ts";
import { collect } from "../update/collect.ts";
import { measure, type UpdateContext } from "../update/context.ts";
import { learn } from "../update/learn.ts";

export const preferenceSettings = {
  beta: option.number(0.1, "how hard the policy is held to the reference", { least: 1e-6 }),
  labelSmoothing: option.number(0, "share of pairs taken to be wrong", { least: 0, most: 0.5 }),
  lengthMean: option.flag(false, "means over the tokens of a side, so that length does not decide"),
  reference: option.choice(
    "start",
    ["start", "logged"],
    "the policy at the start of the run, or the likelihoods at the time of acting (Agent Q)",
  ),
  mostPairs: option.limit(null, "pairs of an update, largest margins first", { least: 1, whole: true }),
  miniBatches: option.number(1, "pairs stay together", { least: 1, most: 1, whole: true }),
  ...gatherSettings,
} as const satisfies OptionTable;

type PreferenceSettings = OptionValues<typeof preferenceSettings>;
const PAIRS = "pairs.";

/** The settings of an update on pairs of this source: the source's own options are `pairs.NAME`. */
export function pairSettings(source: PairSourceId): typeof preferenceSettings {
  const own = Object.entries<OptionSpec>(getPairSource(source).options);
  return { ...preferenceSettings, ...Object.fromEntries(own.map(([name, spec]) => [PAIRS + name, spec])) };
}

/** Pairs of these episodes by the settings, with what is to be known about them. */
function pairsOf(
  update: UpdateContext,
  { mostPairs: most }: PreferenceSettings,
  source: PairSourceId,
  episodes: readonly Trajectory[],
): Pair[] {
  const found = findPairs(source, episodes, update.settings.pairs ?? {});
  const used = most !== null ? found.toSorted((left, right) => right.margin - left.margin).slice(0, most) : found;
  const margin = used.reduce((total, pair) => total + pair.margin, 0) / Math.max(1, used.length);
  measure(update, { "pairs/found": found.length, "pairs/used": used.length, "pairs/margin": margin });
  return used;
}

/** The rows of pairs, exact to the token, with the reference that the settings name. */
function preferenceRows(
  update: UpdateContext,
  { reference }: PreferenceSettings,
  pairs: readonly Pair[],
  episodes: readonly Trajectory[],
): readonly TrainRow[] {
  const { rows, lost } = buildPairRows(pairs, episodes, {
    reference: reference === "logged" ? "logged" : "later",
    maxTokens: update.model.config.contextLength,
  });
  measure(update, { "pairs/lost": lost });
  return rows;
}

/** Direct preference optimisation, by the settings. */
function preferenceLoss({
  beta,
  labelSmoothing,
  lengthMean: average,
  reference,
}: PreferenceSettings): WeightedObjective & { readonly needsReference: boolean } {
  const objective = dpo.create({
    beta,
    labelSmoothing,
    average,
    // Sides are one row each where steps are compared, and add up where episodes are.
    level: "trajectory",
  });
  return { name: "policy", weight: 1, objective, needsReference: reference !== "logged" };
}

/** Finds pairs in these episodes and learns from them. */
export async function learnPreferences(
  update: UpdateContext,
  settings: PreferenceSettings,
  source: PairSourceId,
  episodes: readonly Trajectory[],
): Promise<void> {
  const pairs = pairsOf(update, settings, source, episodes);
  const rows = gatherRows(update, preferenceRows(update, settings, pairs, episodes), settings.gather);
  await learn(update, rows, preferenceLoss(settings));
}

/** The whole update, for recipes that add nothing to it. */
export async function preferenceUpdate(
  update: UpdateContext,
  settings: PreferenceSettings,
  source: PairSourceId,
): Promise<void> {
  await learnPreferences(update, settings, source, await collect(update));
}
