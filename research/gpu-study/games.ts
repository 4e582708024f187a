/** The official ALFWorld games of the study: training games in one shuffled order for every arm, and those to measure on. */
import { createRng, type Env, type Task } from "limbeck";
import { shuffle } from "../../packages/base/src/base/rng.ts";
import { getWorld } from "limbeck/env";

export const MAX_STEPS = 30;
/** Where success is measured; none of its games is trained on. */
export const MEASURED = "valid_seen";

/** Files lie family by family; an update of neighbours would see one family alone. */
export async function openGames(root: string): Promise<Env> {
  const env = await (await getWorld("alfworld")).create({ root, maxSteps: MAX_STEPS });
  const training = shuffle(await tasksOf(env, "train"), createRng("gpu-study"));
  return {
    ...env,
    tasks: (split, options = {}) => {
      if (split !== "train") return env.tasks(split, options);
      const { offset = 0, count = training.length } = options;
      return training.slice(offset, offset + count);
    },
  };
}

export async function tasksOf(env: Env, split: string): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of env.tasks(split)) tasks.push(task);
  return tasks;
}

/** Evenly over the families, which lie one after the other. */
export function everyNth<T>(all: readonly T[], count: number): T[] {
  return Array.from({ length: Math.min(count, all.length) }, (_, at) => {
    return all[Math.floor((at * all.length) / Math.min(count, all.length))] as T;
  });
}
