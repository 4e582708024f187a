/** A Redis server that is empty at each test, tasks of a household, and workers that end with their test. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { connectRedis } from "../../packages/remote/src/fleet/connection.ts";
import { startWorker, type FleetWorker, type WorkerOptions } from "../../packages/remote/src/fleet/worker.ts";
import { redisOf } from "../../packages/remote/src/fleet/queues.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { householdTasks } from "./fleet.ts";
import { redisThere, startRedis, type TestRedis } from "./redis.ts";
import { temporaryFolders } from "./temporary-folder.ts";

export interface FleetBench {
  /** There once the tests run, on a machine that has one. */
  readonly redis: TestRedis;
  readonly tasks: readonly Task[];
  /** Two households at a time, unless more is given. */
  readonly worker: (more?: Partial<WorkerOptions>) => Promise<FleetWorker>;
}

/** Call at the top of a test file. */
export function fleetBench(count: number): FleetBench {
  const newFolder = temporaryFolders();
  let redis: TestRedis | undefined;
  let tasks: readonly Task[] = [];
  const workers: FleetWorker[] = [];
  beforeAll(async () => {
    if (redisThere) redis = await startRedis();
    tasks = await householdTasks(count);
  });
  afterAll(() => redis?.close());
  beforeEach(async () => {
    if (redis === undefined) return;
    const client = redisOf(await connectRedis(redis.url));
    await client.flushall();
    client.disconnect();
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.close();
  });
  const server = (): TestRedis => {
    if (redis === undefined) throw new Error("no Redis");
    return redis;
  };
  return {
    get redis() {
      return server();
    },
    get tasks() {
      return tasks;
    },
    worker: async (more = {}) => {
      const cache = await newFolder();
      const shared = { redis: server().url, cache, worlds: { household: 2 }, leaseMs: 3_000 };
      const started = await startWorker({ ...shared, ...more });
      workers.push(started);
      return started;
    },
  };
}
