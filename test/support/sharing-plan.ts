/** A training over two tasks that every seed has, with two episodes of its own and two of other runs. */
import type { RecipeId } from "../../packages/core/src/recipe/registry.ts";
import type { TrainOptions } from "../../packages/training/src/training/options.ts";
import { createLuckyWorld } from "./lucky-world.ts";
import { evenTokens, smallPlan } from "./small-training.ts";

type Options = TrainOptions<RecipeId, string>;

export function sharingPlan({
  strategy = "share",
  ...place
}: Required<Pick<Options, "model" | "dir" | "seed" | "steps">> & Pick<Options, "strategy">): Options {
  const mixed = strategy === "share" ? { "strategy.own": 2, "strategy.others": 2 } : {};
  return smallPlan({
    recipe: "grpo",
    strategy,
    env: createLuckyWorld(),
    envName: "lucky",
    keep: true,
    rewardAll: evenTokens,
    given: { tasks: 2, group: 2, answerTokens: 4, learningRate: 0.01, "tasks.pool": 2, "tasks.seed": 7, ...mixed },
    ...place,
  });
}
