/**
 * The same recipes in other worlds, with the settings that were chosen on household: nothing was tuned here. Shop and
 * research have starting models of their own; the official ALFWorld games begin with household's model.
 */
import type { ArenaPlanInput } from "../../packages/training/src/arena/plan.ts";
import { bundledModel } from "limbeck/local";
import { bundledModels } from "../../packages/policy/src/policy/starts.ts";
import { shipped, type ArmInput, type Chosen } from "./arms.ts";
import { baselines } from "./second-round.ts";

const armsOf = (chosen: Chosen): ArmInput[] =>
  [...baselines(chosen), shipped].map((arm) => ({ ...arm, settings: { ...arm.settings, tasks: 4 } }));

/** An update of 4 tasks × 8 episodes is about 190 environment steps in the shop, 80 in research. */
const STEPS = { shop: 6_000, research: 3_000 } as const;

/** The world has 100 test tasks; none are left to see whether a skill is still needed. */
const ALL_OF_RESEARCH = { finalTasks: 100, retentionTasks: 0 } as const;

type Rest = Omit<ArenaPlanInput, "arms" | "seeds" | "env" | "envOptions" | "model" | "budget">;

function measured(quick: boolean): Rest {
  return {
    version: 1,
    threads: 1,
    evaluation: { every: 3, tasks: quick ? 24 : 64, finalTasks: quick ? 24 : 200, retentionTasks: quick ? 8 : 48 },
    baseline: shipped.name,
  };
}

export function otherWorld(
  world: "shop" | "research",
  quick: boolean,
  seeds: readonly number[],
  chosen: Chosen,
): ArenaPlanInput {
  const { worldOptions, answerTokens } = bundledModels[world];
  const { evaluation, ...rest } = measured(quick);
  return {
    ...rest,
    evaluation: world === "research" && !quick ? { ...evaluation, ...ALL_OF_RESEARCH } : evaluation,
    env: world,
    envOptions: structuredClone(worldOptions) as ArenaPlanInput["envOptions"],
    model: bundledModel(world),
    arms: armsOf(chosen).map((arm) => ({ ...arm, settings: { ...arm.settings, answerTokens } })),
    seeds: [...seeds],
    budget: { account: "steps", amount: quick ? 1_000 : STEPS[world] },
  };
}

/** Where ALFWorld's own download puts its games, by the variable that it uses too. */
const GAMES = process.env["ALFWORLD_DATA"] ?? "../shared/data/alfworld";

/** A failed episode is 30 steps long, as in the published setting: an update is about 750 environment steps. */
export function officialGames(quick: boolean, seeds: readonly number[], chosen: Chosen): ArenaPlanInput {
  return {
    ...measured(quick),
    env: "alfworld",
    envOptions: { root: GAMES, maxSteps: 30 },
    model: bundledModel("household"),
    arms: armsOf(chosen),
    seeds: [...seeds],
    budget: { account: "steps", amount: quick ? 3_000 : 30_000 },
    evaluation: {
      every: 5,
      tasks: quick ? 24 : 70,
      split: "valid_seen",
      finalTasks: quick ? 24 : 140,
      finalSplit: "valid_seen",
    },
  };
}
