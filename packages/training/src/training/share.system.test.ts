import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { sharingPlan } from "../../../../test/support/sharing-plan.ts";
import { collect } from "../../../../test/support/stores.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { openStore } from "limbeck-store/store/open-store";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { UpdateEvent } from "./events.ts";
import { train } from "./train.ts";

const newFolder = temporaryFolders();
const stalled = builtChild("stalled-share");

async function place() {
  const root = await newFolder();
  const model = join(root, "start");
  await writeTinyModel(model);
  return { root, model, store: join(root, "runs") };
}

async function updatesOf(plan: ReturnType<typeof sharingPlan>): Promise<UpdateEvent[]> {
  const updates: UpdateEvent[] = [];
  await train({ ...plan, onEvent: (event) => void (event.kind === "update" && updates.push(event)) });
  return updates;
}

async function episodesOf(root: string, run: string): Promise<Trajectory[]> {
  const store = openStore(root);
  try {
    return await collect(store.trajectories({ run }));
  } finally {
    await store.close();
  }
}

async function weightsOf(dir: string): Promise<number[]> {
  const opened = await openModel(join(dir, "model"), { threads: 1 });
  try {
    return [...opened.weights.flat];
  } finally {
    await opened.close();
  }
}

test("a training takes episodes of the other runs of its store, and learns from them by their ratio", async () => {
  const { model, store } = await place();
  const alone = await updatesOf(sharingPlan({ model, dir: join(store, "one"), seed: 1, steps: 2 }));
  // Nobody has anything to give, its own earlier episodes least of all.
  expect(alone.map(({ metrics }) => metrics["strategy/sharedEpisodes"])).toEqual([0, 0]);
  expect(alone.map(({ metrics }) => metrics["staleShare"])).toEqual([0, 0]);
  const updates = await updatesOf(sharingPlan({ model, dir: join(store, "two"), seed: 2, steps: 2 }));
  for (const { metrics, episodes } of updates) {
    // Two tasks, each with two episodes of its own and two of the other run.
    expect([episodes, metrics["strategy/sharedEpisodes"]]).toEqual([8, 4]);
    // In the first update both runs count version 0, yet those of the other are another policy's.
    expect(metrics["staleShare"]).toBeGreaterThan(0);
    expect(metrics["ratioSpread"]).toBeGreaterThan(1e-5);
    expect(metrics["clipFraction"]).toBeDefined();
  }
  const theirs = await episodesOf(store, "one");
  const taken = (await episodesOf(store, "two")).filter(({ info }) => info?.["shared"] !== undefined);
  expect(taken).toHaveLength(8);
  for (const { info, streams } of taken) {
    const from = info?.["shared"] as { readonly trajectory: string } | undefined;
    expect(streams).toEqual(theirs.find(({ id }) => id === from?.trajectory)?.streams);
  }
});

test("runs with other tasks have nothing to share; tasks.seed gives them the same, each in an order of its own", async () => {
  const { model, store } = await place();
  const group = { model, steps: 1, strategy: "group" } as const;
  const ids = async (run: string): Promise<string[]> =>
    [...new Set((await episodesOf(store, run)).map(({ task }) => task.id))].toSorted();
  await train(sharingPlan({ ...group, dir: join(store, "one"), seed: 1 }));
  await train(sharingPlan({ ...group, dir: join(store, "two"), seed: 2 }));
  expect(await ids("one")).toEqual(["lucky-train-700000", "lucky-train-700001"]);
  expect(await ids("two")).toEqual(await ids("one"));
  const plan = sharingPlan({ ...group, dir: join(store, "own"), seed: 3 });
  await train({ ...plan, settings: { ...plan.settings, "tasks.seed": null } });
  expect(await ids("own")).toEqual(["lucky-train-300000", "lucky-train-300001"]);
});

// Windows cannot stop a process and keep it.
test.skipIf(process.platform === "win32")(
  "a process that stands still holds nobody up, and what it gave before is used as if it had ended (needs the signals of POSIX)",
  { timeout: 60_000 },
  async () => {
    const { root, model, store } = await place();
    const other = spawn(process.execPath, [stalled(), model, join(store, "still")]);
    try {
      await once(other.stdout, "data");
      const copy = join(root, "copy");
      await cp(store, copy, { recursive: true });
      const beside = await updatesOf(sharingPlan({ model, dir: join(store, "one"), seed: 1, steps: 3 }));
      expect(other.exitCode).toBeNull();
      expect(beside.map(({ metrics }) => metrics["strategy/sharedEpisodes"])).toEqual([4, 4, 4]);
      await train(sharingPlan({ model, dir: join(copy, "one"), seed: 1, steps: 3 }));
      expect(await weightsOf(join(store, "one"))).toEqual(await weightsOf(join(copy, "one")));
    } finally {
      other.kill("SIGKILL");
    }
  },
);
