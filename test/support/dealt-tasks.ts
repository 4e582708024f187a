/** The tasks that updates are dealt in a world of so many, and how evenly. */
import { resolveOptions } from "../../packages/base/src/base/options.ts";
import { createCorridor } from "../../packages/core/src/env/corridor.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { assignmentOf } from "../../packages/core/src/update/collect.ts";
import { nestSettings, sharedSettings, type Settings } from "../../packages/core/src/update/settings.ts";

export const settingsOf = (tasks: number): Settings =>
  nestSettings(resolveOptions(sharedSettings, { tasks }, "settings"));

/** A world of so many training tasks; a split is asked for by offset, as all are. */
export function worldOf(size: number): Env {
  const task = (at: number): Task => ({ id: `task ${at}`, env: "many", seed: at, goal: "go", split: "train" });
  return {
    ...createCorridor(),
    id: "many",
    splits: { train: size },
    *tasks(_split, { offset = 0, count = size } = {}) {
      for (let at = offset; at < Math.min(size, offset + count); at += 1) yield task(at);
    },
  };
}

export async function played(size: number, tasks: number, updates: number, seed = 1): Promise<string[][]> {
  const training = { env: worldOf(size), settings: settingsOf(tasks), seed };
  const all: string[][] = [];
  for (let update = 1; update <= updates; update += 1) {
    all.push((await assignmentOf(training, update, {})).tasks.map(({ id }) => id));
  }
  return all;
}

/** The largest difference of two tasks' counts, after any of the updates. */
export function unevenness(size: number, updates: readonly (readonly string[])[]): number {
  const counts = new Map(Array.from({ length: size }, (_, at) => [`task ${at}`, 0]));
  let worst = 0;
  for (const ids of updates) {
    for (const id of ids) counts.set(id, (counts.get(id) ?? Number.NaN) + 1);
    const all = [...counts.values()];
    worst = Math.max(worst, Math.max(...all) - Math.min(...all));
  }
  return worst;
}
