/** Where a training's episodes come from: tasks in a fixed order, fresh ones for every update. */
import { createRng, mean } from "../base/index.ts";
import type { Env } from "../env/index.ts";
import type { Strategy } from "../rollout/index.ts";
import type { JsonObject, Task, Trajectory } from "../trajectory/index.ts";
import type { Spent } from "../training/events.ts";
import { agentWith, episodeOf, play } from "./play.ts";
import type { Cost } from "./providers/provider.ts";
import type { FamilySkills } from "./skill-prompt.ts";
import type { TrainingRequest } from "../training/loop.ts";
import type { UpdateRecord } from "./workbench.ts";

/** The episodes of an update as they are played, whoever plays them. */
export interface Assignment {
  readonly update: number;
  readonly tasks: readonly Task[];
  readonly seed: string;
  /** Stands before the names of groups and trajectories. */
  readonly prefix: string;
  readonly skills: FamilySkills;
}

/** Fresh tasks in every update, the same for every recipe and seed of the task order. */
export async function assignmentOf(
  { env, settings, seed }: Pick<TrainingRequest, "env" | "settings" | "seed">,
  update: number,
  skills: FamilySkills,
): Promise<Assignment> {
  const count = Number(settings["tasks"]);
  const tasks = await tasksOf(env, "train", offsetOf({ env, seed }, update, count), count);
  return { update, tasks, seed: `${seed} update ${update}`, prefix: `${update}/`, skills };
}

/** Plays them here and now, with the newest weights. */
export async function collect(
  request: TrainingRequest,
  assignment: Assignment,
  strategy: Strategy = request.strategy,
): Promise<readonly Trajectory[]> {
  const { env, demonstrator, settings, signal } = request;
  const { tasks, seed, prefix, skills } = assignment;
  const agent = agentWith(request, Number(settings["temperature"]), skills);
  const peers = Number(settings["group"]);
  const played = { env, demonstrator, agent, strategy, tasks, seed, prefix, peers, signal, ...episodeOf(settings) };
  return (await play(played)).trajectories;
}

/** With other rewards than the world's where there are some, and with a note of where they come from. */
export async function rewarded(
  { reward }: Pick<TrainingRequest, "reward">,
  update: number,
  trajectories: readonly Trajectory[],
): Promise<readonly Trajectory[]> {
  const given = (await reward?.(trajectories)) ?? trajectories;
  return given.map((trajectory) => noted(trajectory, { phase: "train", update }));
}

/** Every seed of a training sees other tasks; worlds without end have plenty, others begin again. */
function offsetOf({ env, seed }: Pick<TrainingRequest, "env" | "seed">, update: number, count: number): number {
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
  { episodes, rescored, provided, instructed }: UpdateRecord,
): Omit<Spent, "seconds" | "updateSeconds"> {
  const played = costOf(episodes);
  const sum = (kind: keyof Cost): number => spent[kind] + played[kind] + instructed[kind] + (provided?.[kind] ?? 0);
  return {
    environmentSteps: sum("environmentSteps"),
    sampledTokens: sum("sampledTokens"),
    modelTokens: sum("modelTokens") + (rescored?.tokens ?? 0),
  };
}

/** What it took to play them. */
export function costOf(episodes: readonly Trajectory[]): Cost {
  let [environmentSteps, sampledTokens, modelTokens] = [0, 0, 0];
  for (const { steps, streams } of episodes) {
    environmentSteps += steps.length;
    for (const { mask } of streams) {
      const own = mask.reduce((total, one) => total + one, 0);
      sampledTokens += own;
      modelTokens += mask.length - own;
    }
  }
  return { environmentSteps, sampledTokens, modelTokens };
}
