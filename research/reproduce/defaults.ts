/**
 * Methods whose defaults unlearned the household in docs/matrix.md, each with as many settings as GRPO: learning rates
 * around 1e-4, which the second round found best for the baselines, and the one thing that is likely to matter beside.
 */
import type { ArenaPlanInput } from "limbeck/arena";
import type { ArmInput, Tuned } from "./arms.ts";
import { BRIEF, choosingLooks, household, seeds } from "./conditions.ts";

type Settings = NonNullable<ArmInput["settings"]>;

function settingsOf(method: string, arm: Omit<ArmInput, "name">, kinds: Readonly<Record<string, Settings>>): Tuned {
  return {
    method: `defaults/${method}`,
    arms: Object.entries(kinds).map(([kind, settings]) => ({ ...arm, name: `${method}-${kind}`, settings })),
  };
}

/** The shared default first. */
const RATES = {
  "lr0.0003": { learningRate: 3e-4 },
  "lr0.0001": { learningRate: 1e-4 },
  "lr0.00005": { learningRate: 5e-5 },
};

export const harmfulDefaults: readonly Tuned[] = [
  settingsOf(
    "grpo",
    { recipe: "grpo" },
    { ...RATES, "centred-lr0.0001": { "credit.normByStd": false, learningRate: 1e-4 } },
  ),
  settingsOf(
    "hgpo",
    { recipe: "hgpo" },
    {
      "base-lr0.0003": { "credit.baseGroup": true, learningRate: 3e-4 },
      "steps-alone-lr0.0001": { "credit.baseGroup": false, learningRate: 1e-4 },
      "base-lr0.0001": { "credit.baseGroup": true, learningRate: 1e-4 },
      "base-centred-lr0.0001": { "credit.baseGroup": true, "credit.mode": "mean_norm", learningRate: 1e-4 },
    },
  ),
  settingsOf(
    "ctpo",
    { recipe: "grpo", objective: "ctpo" },
    {
      ...RATES,
      "wide-lr0.0001": { "objective.clipLow": 0.1, "objective.clipHigh": 0.2, learningRate: 1e-4 },
    },
  ),
  settingsOf(
    "holderpo",
    { recipe: "grpo", objective: "holderpo" },
    {
      ...RATES,
      "near-lr0.0001": { "objective.exponentStart": 1, "objective.exponentEnd": -1, learningRate: 1e-4 },
    },
  ),
  settingsOf(
    "remax",
    { recipe: "grpo", credit: "remax" },
    {
      ...RATES,
      "episodes-lr0.0001": { aggregation: "seq-mean-token-mean", learningRate: 1e-4 },
    },
  ),
  settingsOf(
    "replay",
    { recipe: "grpo", strategy: "replay" },
    {
      ...RATES,
      "fresh-lr0.0001": { "strategy.fresh": 0.75, "strategy.oldest": 2, learningRate: 1e-4 },
    },
  ),
];

/** On validation tasks, at equal environment steps, with paired seeds. */
export function defaultsPlan(quick: boolean): ArenaPlanInput {
  const tried = harmfulDefaults.map(({ arms }) => arms.slice(0, quick ? 2 : undefined));
  return {
    ...household(quick, BRIEF, tried.flat()),
    seeds: seeds(801, quick ? 1 : 5),
    evaluation: choosingLooks(quick),
    baseline: "grpo-lr0.0001",
  };
}
