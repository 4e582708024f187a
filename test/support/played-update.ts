/** One small update of GRPO in a household, from the model in `start` of a folder; what it played. */
import { join } from "node:path";
import { getRecipe } from "../../packages/core/src/recipe/registry.ts";
import type { Recipe } from "../../packages/core/src/recipe/recipe.ts";
import { train } from "../../packages/training/src/training/train.ts";
import type { Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

const grpo = getRecipe("grpo");

export async function playedUpdate(
  root: string,
  settings: object,
  more: Parameters<typeof train>[0] = {},
): Promise<readonly Trajectory[]> {
  let episodes: readonly Trajectory[] = [];
  const recipe: Recipe = {
    ...grpo,
    update: async (update, own) => {
      await grpo.update(update, own);
      episodes = [...update.record.episodes];
    },
  };
  await train({
    recipe,
    env: "household",
    model: join(root, "start"),
    steps: 1,
    settings: { tasks: 1, group: 2, maxSteps: 2, answerTokens: 6, ...settings } as never,
    validation: { every: 0 },
    report: { tasks: 0 },
    threads: 1,
    dir: join(root, `run-${Math.random()}`),
    ...more,
  });
  return episodes;
}
