import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLuckyWorld } from "../../test/support/lucky-world.ts";
import { smallPlan } from "../../test/support/small-training.ts";
import { collect } from "../../test/support/stores.ts";
import { writeTinyModel } from "../../test/support/tiny-folder.ts";
import type { OptionValue } from "../base/index.ts";
import { openModel } from "../policy/local/index.ts";
import type { RecipeId } from "../recipe/index.ts";
import { openStore } from "../store/index.ts";
import { train, type TrainEvent, type TrainOptions } from "./index.ts";

let root = "";
let model = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-pool-"));
  model = join(root, "start");
  await writeTinyModel(model);
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Answers of a random model do not fit into four tokens, and the run doctor would say so. */
const SMALL = { tasks: 2, group: 2, answerTokens: 4, learningRate: 0.01, doctor: "off" };

function planOf(
  name: string,
  given: Readonly<Record<string, OptionValue>>,
  more: Partial<TrainOptions<RecipeId, string>> = {},
): TrainOptions<RecipeId, string> {
  const world = { env: createLuckyWorld(), envName: "lucky" };
  const place = { model, dir: join(root, "runs", name), steps: 4, keep: true };
  return smallPlan({ recipe: "grpo", ...world, ...place, given: { ...SMALL, ...given }, ...more });
}

async function trained(
  name: string,
  given: Readonly<Record<string, OptionValue>>,
  more: Partial<TrainOptions<RecipeId, string>> = {},
) {
  const events: TrainEvent[] = [];
  await train({ ...planOf(name, given, more), onEvent: (event) => void events.push(event) });
  const updates = events.filter((event) => event.kind === "update");
  const rewards = updates.map(({ reward, entropy }) => [reward, entropy]);
  const total = (metric: string): number => updates.reduce((sum, { metrics }) => sum + (metrics[metric] ?? 0), 0);
  const notices = events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));
  return { rewards, total, notices, updates };
}

/** The tasks of each update, as the run stores them. */
async function storedTasks(run: string): Promise<string[][]> {
  const store = openStore(join(root, "runs"));
  try {
    const byUpdate = new Map<number, Set<string>>();
    for (const { info, task } of await collect(store.trajectories({ run }))) {
      const update = Number(info?.["update"]);
      byUpdate.set(update, (byUpdate.get(update) ?? new Set()).add(task.id));
    }
    return [...byUpdate].toSorted(([left], [right]) => left - right).map(([, ids]) => [...ids]);
  } finally {
    await store.close();
  }
}

async function eventsOf(run: string, kind: string): Promise<unknown[]> {
  const store = openStore(join(root, "runs"));
  try {
    const { rows } = await store.query(`select data from events where kind = '${kind}'`, { run });
    return rows.map(([data]) => JSON.parse(String(data)) as unknown);
  } finally {
    await store.close();
  }
}

async function weightsOf(run: string): Promise<number[]> {
  const opened = await openModel(join(root, "runs", run, "model"), { threads: 1 });
  try {
    return [...opened.weights.flat];
  } finally {
    await opened.close();
  }
}

test("a resumed run goes on in the order and ends as one that was never stopped", async () => {
  const given = { "tasks.pool": 5 };
  await trained("whole", given, { steps: 4, strategy: "archive" });
  await trained("parts", given, { steps: 2, strategy: "archive" });
  await trained("parts", given, { steps: 4, strategy: "archive" });
  expect(await storedTasks("parts")).toEqual(await storedTasks("whole"));
  expect(await weightsOf("parts")).toEqual(await weightsOf("whole"));
  expect(await eventsOf("parts", "pool")).toHaveLength(1);
});
