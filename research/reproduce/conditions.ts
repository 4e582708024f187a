/** What the household stages of the study share: world, start, lengths, looks, seeds. */
import type { ArenaPlanInput } from "../../packages/training/src/arena/plan.ts";
import { bundledModel } from "limbeck/local";
import type { ArmInput, Chosen } from "./arms.ts";

/** Environment steps of a run. */
export const EARLY = 4_000;
export const BRIEF = 5_000;
export const SHORT = 6_000;
export const LONG = 9_000;

/**
 * Tasks, world and start that all stages share. An update is 4 tasks × 8 episodes, about 350 environment steps: half of
 * the recipes' own default, so that the same steps give twice as many updates, for every arm alike.
 */
export function household(quick: boolean, steps: number, arms: readonly ArmInput[]): Omit<ArenaPlanInput, "seeds"> {
  return {
    arms: arms.map((arm) => ({ ...arm, settings: { ...arm.settings, tasks: 4 } })),
    version: 1,
    env: "household",
    envOptions: { dial: "tiny" },
    model: bundledModel("household"),
    budget: { account: "steps", amount: quick ? 2_000 : steps },
    threads: 1,
  };
}

type Looks = NonNullable<ArenaPlanInput["evaluation"]>;

/** On tasks that no choice was made on. */
export function looks(quick: boolean, retentionTasks = 48): Looks {
  return quick
    ? { every: 3, tasks: 24, split: "test", finalTasks: 24, retentionTasks: 8 }
    : { every: 4, tasks: 64, split: "test", finalTasks: 200, retentionTasks };
}

/** The curve of `looks` and nothing after it, so that a longer run under the same conditions serves too. */
export function curveOnly(quick: boolean): Looks {
  return { ...looks(quick), finalTasks: 0, retentionTasks: 0 };
}

/** On validation tasks, for choosing. */
export function choosingLooks(quick: boolean): Looks {
  return { every: 4, tasks: quick ? 24 : 64, finalTasks: 0 };
}

export function seeds(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

/** A chosen arm under the name of its method, or under another. */
export function best(chosen: Chosen, method: string, name = method): ArmInput {
  const arm = chosen[method];
  if (arm === undefined)
    throw new Error(`Nothing was chosen for ${method} yet; run the stages screening and tuning first.`);
  return { ...arm, name };
}
