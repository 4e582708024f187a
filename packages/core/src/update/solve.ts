/** How a task is done: the world's demonstrator plays it, on its own copy of the world. */
import { EngineError } from "limbeck-base/base/errors";
import type { Env } from "../env/env.ts";
import type { Demonstrator } from "../env/expert.ts";
import { createDemonstratorAgent } from "../walk/mind/demonstrator-agent.ts";
import { group } from "../rollout/group.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { UpdateContext } from "./context.ts";
import type { Solution } from "./record.ts";

/**
 * Asks once for each task; undefined where the demonstrator fails. `wanted` says what for, should there be none.
 *
 * @example
 * import { getRecipe, collect, solve as solveTask } from "limbeck/update";
 * import type { Recipe } from "limbeck";
 *
 * const recipe: Recipe = {
 *   ...getRecipe("grpo"),
 *   update: async (update) => {
 *     const [episode] = await collect(update);
 *     if (episode !== undefined) console.log((await solveTask(update, episode.task))?.answer.includes("<answer>")); // true
 *   },
 * };
 * const settings = { tasks: 1, group: 2, maxSteps: 1, answerTokens: 4 };
 * await train({ recipe, env: "countdown", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings });
 */
export function solve(update: UpdateContext, task: Task, wanted = "a solution"): Promise<Solution | undefined> {
  const { solutions } = update.record;
  const seed = `${update.seed} update ${update.update}`;
  const found = solutions.get(task.id) ?? demonstrate({ ...update, seed }, task, wanted);
  solutions.set(task.id, found);
  return found;
}

function noDemonstrator(env: Env, wanted: string): EngineError {
  return new EngineError(
    "needs-unmet",
    `The world "${env.id}" has no demonstrator, so nobody can supply ${wanted}. Choose a world that has one (limbeck envs lists them), or another method.`,
    { details: { wanted, world: env.id } },
  );
}

export interface DemonstrationRequest {
  readonly env: Env;
  readonly demonstrator?: Demonstrator | undefined;
  readonly seed: string;
  readonly signal: AbortSignal;
}

/**
 * The demonstrator's way through one task; undefined where it fails.
 *
 * @example
 * import { getWorld } from "limbeck/env";
 * import { demonstrate as demonstrateTask } from "limbeck/update";
 *
 * const { create, demonstrators = {} } = await getWorld("countdown");
 * const env = await create({ level: "easy" });
 * const request = { env, demonstrator: demonstrators["expert"], seed: "1", signal: new AbortController().signal };
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   console.log((await demonstrateTask(request, task))?.answer.includes("<answer>4 + 10 + 9</answer>")); // true
 * }
 */
export async function demonstrate(
  { env, demonstrator, seed, signal }: DemonstrationRequest,
  task: Task,
  wanted = "a solution",
): Promise<Solution | undefined> {
  if (demonstrator === undefined) throw noDemonstrator(env, wanted);
  const { trajectories } = await rollOut({
    env,
    agent: createDemonstratorAgent(demonstrator),
    strategy: group.create({ size: 1 }),
    tasks: [task],
    seed: `${seed} reference`,
    signal,
  });
  const [episode] = trajectories;
  const answer = episode?.steps.at(-1)?.action;
  if (episode?.success !== true || answer === undefined) return undefined;
  return { plan: episode.steps.map(({ action }) => action), answer, steps: episode.steps };
}
