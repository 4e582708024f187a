/** Where a training's episodes come from: tasks in a fixed order, fresh ones for every update. */
import { createRng, mean } from "../base/index.ts";
import type { Env } from "../env/index.ts";
import { createTokenAgent, rollOut, type Agent } from "../rollout/index.ts";
import type { JsonObject, Task, Trajectory } from "../trajectory/index.ts";
import { assistantsOf } from "./assistants.ts";
import type { Spent } from "./events.ts";
import { promptingWith, type FamilySkills } from "./skill-prompt.ts";
import { injectionOf } from "./teacher-settings.ts";
import type { TrainingRequest } from "./training.ts";
import type { UpdateRecord } from "./workbench.ts";

/** The policy as it acts, by the settings of a recipe. */
export function agentWith(
  { model, dialect, settings }: Pick<TrainingRequest, "model" | "dialect" | "settings">,
  temperature: number,
  skills: FamilySkills = {},
): Agent {
  const answerTokens = Number(settings["answerTokens"]);
  const prompting = promptingWith(skills, injectionOf(settings));
  return createTokenAgent({ policy: model, dialect, temperature, answerTokens, prompting });
}

/** Fresh tasks in every update, the same for every recipe and seed of the task order. */
export async function collect(
  request: TrainingRequest,
  update: number,
  skills: FamilySkills,
): Promise<readonly Trajectory[]> {
  const { env, settings, seed, signal } = request;
  const count = Number(settings["tasks"]);
  const tasks = await tasksOf(env, "train", offsetOf(request, update, count), count);
  const { maxSteps } = settings;
  const episode = typeof maxSteps === "number" ? { steps: maxSteps } : undefined;
  const agent = agentWith(request, Number(settings["temperature"]), skills);
  const own = `${seed} update ${update}`;
  const { strategy, demonstrator } = request;
  const { trajectories } = await rollOut({
    env,
    agent,
    tasks,
    strategy,
    prefix: `${update}/`,
    seed: own,
    signal,
    ...assistantsOf({
      env,
      demonstrator,
      agent,
      needs: strategy.needs ?? [],
      seed: own,
      peers: Number(settings["group"]),
      episode,
    }),
    ...(episode === undefined ? {} : { episode }),
  });
  const rewarded = (await request.reward?.(trajectories)) ?? trajectories;
  return rewarded.map((trajectory) => noted(trajectory, { phase: "train", update }));
}

/** Every seed of a training sees other tasks; worlds without end have plenty, others begin again. */
function offsetOf({ env, seed }: TrainingRequest, update: number, count: number): number {
  const total = env.splits["train"] ?? Number.POSITIVE_INFINITY;
  const first = Number.isFinite(total) ? createRng(seed).split("tasks").int(total) : seed * 100_000;
  const at = first + (update - 1) * count;
  return Number.isFinite(total) ? at % Math.max(1, total - count + 1) : at;
}

export async function tasksOf(env: Env, split: string, offset: number, count: number): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of env.tasks(split, { offset, count })) tasks.push(task);
  return tasks;
}

export function noted(trajectory: Trajectory, info: JsonObject): Trajectory {
  return { ...trajectory, info: { ...trajectory.info, ...info } };
}

export function surprise(episodes: readonly Trajectory[]): number {
  const logprobs = episodes.flatMap(({ streams }) =>
    streams.flatMap(({ logprobs: values, mask }) =>
      values === undefined ? [] : Array.from(values.filter((_, at) => mask[at] === 1)),
    ),
  );
  return -mean(logprobs);
}

export function added(
  spent: Spent,
  { episodes, rescored, provided }: UpdateRecord,
): Omit<Spent, "seconds" | "updateSeconds"> {
  const steps = episodes.reduce((total, { steps: own }) => total + own.length, 0);
  let [sampled, read] = [0, 0];
  for (const { streams } of episodes) {
    for (const { mask } of streams) {
      const own = mask.reduce((total, one) => total + one, 0);
      sampled += own;
      read += mask.length - own;
    }
  }
  return {
    environmentSteps: spent.environmentSteps + steps + (provided?.environmentSteps ?? 0),
    sampledTokens: spent.sampledTokens + sampled + (provided?.sampledTokens ?? 0),
    modelTokens: spent.modelTokens + read + (rescored?.tokens ?? 0) + (provided?.modelTokens ?? 0),
  };
}
