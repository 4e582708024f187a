import { expect, test } from "vitest";
import { resolveOptions } from "../base/index.ts";
import { createCorridor } from "../env/corridor.ts";
import type { Env } from "../env/env.ts";
import type { Task } from "../trajectory/trajectory.ts";
import { assignmentOf } from "./collect.ts";
import { sharedSettings, type Settings } from "./settings.ts";

const settingsOf = (tasks: number): Settings => resolveOptions(sharedSettings, { tasks }, "settings");

/** A world of so many training tasks; a split is asked for by offset, as all are. */
function worldOf(size: number): Env {
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

async function played(size: number, tasks: number, updates: number, seed = 1): Promise<string[][]> {
  const training = { env: worldOf(size), settings: settingsOf(tasks), seed };
  const all: string[][] = [];
  for (let update = 1; update <= updates; update += 1) {
    all.push((await assignmentOf(training, update, {})).tasks.map(({ id }) => id));
  }
  return all;
}

/** The largest difference of two tasks' counts, after any of the updates. */
function unevenness(size: number, updates: readonly (readonly string[])[]): number {
  const counts = new Map(Array.from({ length: size }, (_, at) => [`task ${at}`, 0]));
  let worst = 0;
  for (const ids of updates) {
    for (const id of ids) counts.set(id, (counts.get(id) ?? Number.NaN) + 1);
    const all = [...counts.values()];
    worst = Math.max(worst, Math.max(...all) - Math.min(...all));
  }
  return worst;
}

test("of 1 to 100 tasks, over 1 to 300 updates, each is played as often as any other, give or take one", async () => {
  for (let size = 1; size <= 100; size += 1) {
    const updates = await played(size, 8, 300);
    expect([size, unevenness(size, updates)]).toEqual([size, expect.toSatisfy((most: number) => most <= 1)]);
  }
});
