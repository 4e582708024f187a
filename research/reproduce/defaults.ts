/**
 * Methods whose defaults unlearned the household in docs/evidence/generated/matrix.md, each with as many settings as GRPO: the shared learning
 * rate, and 1e-4, which the second round found best for the baselines, with the one thing that is likely to matter beside.
 */
import type { ArenaPlanInput } from "../../packages/training/src/arena/plan.ts";
import type { ArmInput, Tuned } from "./arms.ts";
import { BRIEF, choosingLooks, household, seeds } from "./conditions.ts";

type Settings = NonNullable<ArmInput["settings"]>;

function settingsOf(method: string, arm: Omit<ArmInput, "name">, kinds: Readonly<Record<string, Settings>>): Tuned {
  return {
    method: `defaults/${method}`,
    arms: Object.entries(kinds).map(([kind, settings]) => ({ ...arm, name: `${method}-${kind}`, settings })),
  };
}

const SHARED = { learningRate: 3e-4 };
const SLOW = { learningRate: 1e-4 };

/** Two settings each, the one with the shared learning rate first: those that differ most. */
export const harmfulDefaults: readonly Tuned[] = [
  settingsOf("grpo", { recipe: "grpo" }, { "lr0.0003": SHARED, "lr0.0001": SLOW }),
  settingsOf(
    "hgpo",
    { recipe: "hgpo" },
    { "lr0.0003": SHARED, "centred-lr0.0001": { "credit.mode": "mean_norm", ...SLOW } },
  ),
  settingsOf(
    "ctpo",
    { recipe: "grpo", objective: "ctpo" },
    { "lr0.0003": SHARED, "wide-lr0.0001": { "objective.clipLow": 0.1, "objective.clipHigh": 0.2, ...SLOW } },
  ),
  settingsOf("holderpo", { recipe: "grpo", objective: "holderpo" }, { "lr0.0003": SHARED, "lr0.0001": SLOW }),
  settingsOf("remax", { recipe: "grpo", credit: "remax" }, { "lr0.0003": SHARED, "lr0.0001": SLOW }),
  settingsOf(
    "replay",
    { recipe: "grpo", strategy: "replay" },
    { "lr0.0003": SHARED, "fresh-lr0.0001": { "strategy.fresh": 0.75, "strategy.oldest": 2, ...SLOW } },
  ),
  settingsOf("skill1", { recipe: "skill1" }, { "lr0.0003": SHARED, "lr0.0001": SLOW }),
  settingsOf("siop", { recipe: "grpo", credit: "siop" }, { "lr0.0003": SHARED, "lr0.0001": SLOW }),
  settingsOf("mars2", { recipe: "grpo", credit: "mars2" }, { "lr0.0003": SHARED, "lr0.0001": SLOW }),
];

/** On validation tasks, at equal environment steps, with paired seeds. */
export function defaultsPlan(quick: boolean): ArenaPlanInput {
  const tried = harmfulDefaults.map(({ arms }) => arms.slice(0, quick ? 2 : undefined));
  return {
    ...household(quick, BRIEF, tried.flat()),
    seeds: seeds(801, quick ? 1 : 3),
    evaluation: choosingLooks(quick),
    baseline: "grpo-lr0.0001",
  };
}
