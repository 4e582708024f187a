/** Plans of short household trainings whose episodes may be played elsewhere. */
import { join } from "node:path";
import type { OptionValue } from "../../packages/base/src/base/option-table.ts";
import { getWorld } from "../../packages/worlds/src/index.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import type { RecipeId } from "../../packages/core/src/recipe/registry.ts";
import type { TrainOptions } from "../../packages/training/src/training/options.ts";
import { evenTokens, smallPlan } from "./small-training.ts";
import { filledFolder } from "./temporary-folder.ts";
import { writeTinyModel } from "./tiny-folder.ts";

type Plan = TrainOptions<RecipeId, string> & { readonly env: Env; readonly model: string; readonly dir: string };

const world = { id: "household", options: { dial: "tiny" } };

/** Call at the top of the file; the result plans a training into a folder of that name. */
export function asynchronousPlans(): (name: string, given?: Readonly<Record<string, OptionValue>>) => Promise<Plan> {
  const root = filledFolder((folder) => writeTinyModel(join(folder, "tiny"), 1, 400));

  return async (name, given = {}) => {
    const env = await (await getWorld(world.id)).create(world.options);
    const place = { env, model: join(root(), "tiny"), dir: join(root(), name) };
    const size = { tasks: 2, group: 3, answerTokens: 3, maxSteps: 2 };
    // Every update steps, so that versions can be counted.
    const settings = { ...size, learningRate: 0.01, miniBatches: 2, idleSteps: true, ...given };
    const plan = { recipe: "grpo" as const, envName: "household", world, steps: 4, rewardAll: evenTokens };
    return { ...smallPlan({ ...plan, ...place, given: settings }), ...place };
  };
}
