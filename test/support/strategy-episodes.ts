/** Episodes of the noisy walker in the corridor, walked by the strategy that a recipe is made for. */
import { eastward } from "./provider-bench.ts";
import { corridor, corridorDialect, corridorPolicy } from "./recipe-bench.ts";
import { assistantsOf } from "../../packages/core/src/update/assistants.ts";
import { fittingStrategy, resolveSettings, strategySettings } from "../../packages/core/src/recipe/settings.ts";
import { getRecipe } from "../../packages/core/src/recipe/registry.ts";
import { createStrategy } from "../../packages/core/src/rollout/registry.ts";
import { createTokenAgent } from "../../packages/core/src/walk/mind/token-agent.ts";
import { rollOut } from "../../packages/core/src/walk/line/roll-out.ts";
import type { Strategy, StrategyNeed } from "../../packages/core/src/walk/line/strategy.ts";
import type { Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

export async function strategyEpisodes(
  name: string,
  given: Readonly<Record<string, unknown>> = {},
  seed = "one",
  own?: Strategy & { readonly needs?: readonly StrategyNeed[] },
): Promise<readonly Trajectory[]> {
  const recipe = getRecipe(name);
  const settings = resolveSettings({ name, recipe, credit: recipe.credit, given });
  const { name: strategy } = fittingStrategy(recipe.credit, recipe);
  const made = own ?? createStrategy(strategy, strategySettings(settings, strategy));
  const env = corridor();
  const agent = createTokenAgent({ policy: corridorPolicy(), dialect: corridorDialect, answerTokens: 16 });
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { count: 3 })) tasks.push(task);
  const asked = { env, demonstrator: eastward, agent, needs: made.needs ?? [], seed, peers: 1, episode: {} };
  return (await rollOut({ env, agent, tasks, seed, strategy: made, ...assistantsOf(asked) })).trajectories;
}
