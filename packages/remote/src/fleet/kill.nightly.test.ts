import { afterAll, beforeAll, expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { householdTasks, outcomes, quietly, requestOf } from "../../../../test/support/fleet.ts";
import { startChild, type Child } from "../../../../test/support/kill-children.ts";
import { NEEDS_REDIS, redisThere, startRedis, type TestRedis } from "../../../../test/support/redis.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { createRng } from "limbeck-base/base/rng";
import { openStore } from "limbeck-store/store/open-store";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { rollOutOnFleet } from "./roll-out-on-fleet.ts";

const TASKS = 125;
const GROUP = 4;
const WORKERS = 4;
const KILLS = 6;
const newFolder = temporaryFolders();
const program = builtChild("kill-worker");
let redis: TestRedis | undefined;
beforeAll(async () => {
  if (redisThere) redis = await startRedis();
});
afterAll(() => redis?.close());

test.skipIf(!redisThere)(
  `500 episodes on 4 workers that are killed at random: each is stored once, as in a quiet run (${NEEDS_REDIS})`,
  { timeout: 120_000 },
  async () => {
    const [root, cache] = [await newFolder(), await newFolder()];
    const url = redis?.url ?? "";
    const tasks = await householdTasks(TASKS);
    const store = openStore(root);
    const run = (await store.createRun({ kind: "rollout" })).run;
    const rng = createRng("fleet kills");
    const alive = new Map<number, Child>();
    let [started, killed] = [0, 0];
    const startOne = (place: number): void => {
      const child = startChild(program(), [url, cache, "1000"]);
      alive.set(place, child);
      started += 1;
      if (started > WORKERS + KILLS) return;
      // Killed a random moment after a random job was taken: in mid-episode, while writing, between jobs.
      const [after, delayMs] = [1 + rng.int(6), rng.float() * 30];
      let taken = 0;
      child.lines.on("line", (line) => {
        if (line !== "taken" || (taken += 1) !== after || killed >= KILLS) return;
        killed += 1;
        setTimeout(() => child.process.kill("SIGKILL"), delayMs);
      });
      void child.ended.then((signal) => {
        if (signal === "SIGKILL") startOne(place);
      });
    };
    for (let place = 0; place < WORKERS; place += 1) startOne(place);
    const request = requestOf(url, run, tasks, GROUP);
    const result = await rollOutOnFleet({ ...request, deliver: { to: "store", root }, lookMs: 500 });
    // Those that are left drain: they finish what they have and end by themselves.
    const drained = [...alive.values()].map(async (child) => {
      child.process.kill("SIGTERM");
      return await child.ended;
    });
    expect(await Promise.all(drained)).toEqual(Array.from({ length: WORKERS }, () => null));
    expect(killed).toBe(KILLS);
    expect(result.givenUp).toEqual([]);
    const stored: Trajectory[] = [];
    for await (const trajectory of store.trajectories({ run })) stored.push(trajectory);
    const quiet = await quietly(tasks, GROUP);
    const succeeded = quiet.filter(({ success }) => success === true).length;
    expect(stored).toHaveLength(TASKS * GROUP);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(TASKS * GROUP);
    expect(outcomes(stored).sort()).toEqual(outcomes(quiet).sort());
    expect(result).toMatchObject({ episodes: 500, succeeded, failed: 0, done: TASKS, parked: 0 });
    expect(succeeded).toBeGreaterThan(0);
    expect(succeeded).toBeLessThan(500);
    await store.close();
  },
);

test.skipIf(!redisThere)(
  `a job that its workers die of is parked after so many deaths, and the others are played (${NEEDS_REDIS})`,
  { timeout: 60_000 },
  async () => {
    const cache = await newFolder();
    const url = redis?.url ?? "";
    const tasks = await householdTasks(4);
    const poison = tasks[1]?.id ?? "";
    let alive: Child | undefined;
    let [deaths, over] = [0, false];
    const startOne = (): void => {
      const child = startChild(program(), [url, cache, "1000", "1", poison]);
      alive = child;
      void child.ended.then((signal) => {
        if (signal !== "SIGKILL") return;
        deaths += 1;
        if (!over) startOne();
      });
    };
    startOne();
    const result = await rollOutOnFleet({ ...requestOf(url, "poisoned", tasks), lookMs: 300 });
    over = true;
    alive?.process.kill("SIGTERM");
    await alive?.ended;
    // One death more than is forgiven.
    expect(deaths).toBe(2);
    expect(result.givenUp).toMatchObject([{ task: poison, error: expect.stringContaining("worker-died") }]);
    const others = tasks.filter(({ id }) => id !== poison);
    expect(outcomes(result.collected)).toEqual(outcomes(await quietly(others)));
  },
);
