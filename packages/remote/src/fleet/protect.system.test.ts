import { expect, test } from "vitest";
import { fleetBench } from "../../../../test/support/fleet-bench.ts";
import { outcomes, quietly, requestOf } from "../../../../test/support/fleet.ts";
import { NEEDS_REDIS, redisThere } from "../../../../test/support/redis.ts";
import { EngineError } from "limbeck-base/base/errors";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Agents } from "./agents.ts";
import { connectRedis } from "./connection.ts";
import { readFleet } from "./fleet-state.ts";
import { rollOutOnFleet } from "./roll-out-on-fleet.ts";
import type { WorkerEvent } from "./worker.ts";
import { PREFIX, queueName, QUEUES_KEY, workerKey, WORKERS_KEY } from "./keys.ts";
import { loadBullmq, redisOf } from "./queues.ts";

const TASKS = 16;
const bench = fleetBench(TASKS);

/** A worker that has no key for what it needs. */
const keyless: Agents = {
  lease: () => Promise.reject(new EngineError("trainer-key-refused", "The trainer refuses the key.")),
  close: () => Promise.resolve(),
};

/** Looks now and then: a loop without a pause would take the processor from those it waits for. */
async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { interval: 10, timeout: 60_000 }).toBe(true);
}

test.skipIf(!redisThere)(
  `a worker that fails whatever it takes is set aside, and no task is lost by it (${NEEDS_REDIS})`,
  async () => {
    const events: WorkerEvent[] = [];
    const bad = await bench.worker({ name: "bad", agents: keyless, onEvent: (event) => events.push(event) });
    // It is alone at first, and so takes its fill.
    const notices: string[] = [];
    const request = requestOf(bench.redis.url, "spoilt", bench.tasks);
    const rolled = rollOutOnFleet({ ...request, onNotice: (message) => notices.push(message) });
    await until(() => events.some(({ kind }) => kind === "set-aside"));
    expect(bad.report()).toMatchObject({ state: "set-aside", problem: expect.stringContaining("refuses the key") });
    await bench.worker({ name: "good" });
    await bench.worker({ name: "better" });
    const { collected, ...result } = await rolled;
    expect(result).toMatchObject({ done: TASKS, parked: 0, givenUp: [] });
    expect(outcomes(collected)).toEqual(outcomes(await quietly(bench.tasks)));
    const client = redisOf(await connectRedis(bench.redis.url));
    const { workers: seen } = await readFleet(client);
    client.disconnect();
    expect(seen.find(({ name }) => name === "bad")).toMatchObject({ state: "set-aside", jobs: 0 });
    expect(seen.find(({ name }) => name === "bad")?.failed).toBeGreaterThanOrEqual(3);
  },
);

test.skipIf(!redisThere)(
  `where every worker is set aside the rollout ends with the cause, and takes its jobs back (${NEEDS_REDIS})`,
  async () => {
    await bench.worker({ agents: keyless });
    const rolled = rollOutOnFleet({ ...requestOf(bench.redis.url, "hopeless", bench.tasks), lookMs: 50 });
    await expect(rolled).rejects.toMatchObject({
      code: "jobs-parked",
      message: expect.stringMatching(/[Ee]very worker .*refuses the key/),
    });
    const client = redisOf(await connectRedis(bench.redis.url));
    const [queue] = (await readFleet(client)).queues;
    // But for what the worker had in its hands.
    expect(queue?.waiting).toBe(0);
    expect(queue?.delayed).toBeLessThanOrEqual(2);
    client.disconnect();
  },
);

test.skipIf(!redisThere)(
  `a worker of another protocol or release takes nothing, and both sides say so (${NEEDS_REDIS})`,
  async () => {
    await bench.worker({ name: "older", protocol: 1 });
    await bench.worker({ name: "newer", engine: "9.9.0" });
    const notices: string[] = [];
    const request = { ...requestOf(bench.redis.url, "versions", bench.tasks), lookMs: 20 };
    const rolled = rollOutOnFleet({ ...request, onNotice: (message) => notices.push(message) });
    await until(() => notices.length > 0);
    expect(notices[0]).toMatch(
      /newer speaks protocol 3 of engine 9\.9\.0, older speaks protocol 1 of .*; this is protocol 3/,
    );
    const client = redisOf(await connectRedis(bench.redis.url));
    const state = await readFleet(client);
    client.disconnect();
    expect(state.workers).toMatchObject([
      { name: "newer", protocol: 3, engine: "9.9.0", jobs: 0, failed: 0 },
      { name: "older", protocol: 1, jobs: 0, failed: 0 },
    ]);
    expect(state.queues.find(({ waiting }) => waiting === TASKS)).toMatchObject({ world: "household", protocol: 3 });
    await bench.worker({ name: "same" });
    expect(await rolled).toMatchObject({ done: TASKS, parked: 0 });
  },
);

test.skipIf(!redisThere)(
  `no more jobs than the limit stand in the queue, and all are played (${NEEDS_REDIS})`,
  async () => {
    const client = redisOf(await connectRedis(bench.redis.url));
    let most = 0;
    const demonstrated = await bench.worker({ worlds: { household: 1 } });
    const result = await rollOutOnFleet({
      ...requestOf(bench.redis.url, "bounded", bench.tasks),
      queueLimit: 4,
      onEpisodes: async () => {
        const [queue] = (await readFleet(client)).queues;
        most = Math.max(most, (queue?.waiting ?? 0) + (queue?.active ?? 0));
      },
    });
    client.disconnect();
    expect(result).toMatchObject({ done: TASKS, parked: 0 });
    expect(demonstrated.report().jobs).toBe(TASKS);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(4);
  },
);

test.skipIf(!redisThere)(`episodes of one job at a time are handed to the caller (${NEEDS_REDIS})`, async () => {
  let done = 0;
  await bench.worker({ onEvent: ({ kind }) => (done += kind === "done" ? 1 : 0) });
  const client = redisOf(await connectRedis(bench.redis.url));
  const steps: string[] = [];
  await rollOutOnFleet({
    ...requestOf(bench.redis.url, "in-turn", bench.tasks),
    onEpisodes: async (_, key) => {
      steps.push(key);
      // All others are done meanwhile, so that they come back together.
      await until(() => done >= TASKS);
      for (let answers = 0; answers < 5; answers += 1) await client.ping();
      steps.push(key);
    },
  });
  client.disconnect();
  expect(steps).toEqual([...new Set(steps)].flatMap((key) => [key, key]));
  expect(steps).toHaveLength(2 * TASKS);
});

test.skipIf(!redisThere)(`whatever stands in Redis, the fleet is shown (${NEEDS_REDIS})`, async () => {
  const client = redisOf(await connectRedis(bench.redis.url));
  const name = queueName("household");
  const { Queue } = await loadBullmq();
  const queue = new Queue(name, { connection: client, prefix: PREFIX });
  await queue.add("rollout", null, { jobId: "jnull" });
  await client.sadd(QUEUES_KEY, name, "no such name");
  await client.sadd(WORKERS_KEY, "odd", "silent");
  await client.set(workerKey("odd"), "{");
  const events: WorkerEvent[] = [];
  const tried = await bench.worker({ onEvent: (event) => events.push(event) });
  await until(() => events.some(({ kind }) => kind === "failed"));
  expect(tried.report()).toMatchObject({ failed: 1, problem: expect.stringContaining("same release") });
  await expect.poll(async () => (await readFleet(client)).parked).toMatchObject([{ job: "jnull", run: "", task: "" }]);
  expect((await readFleet(client)).workers).toHaveLength(1);
  await queue.close();
  client.disconnect();
});

test.skipIf(!redisThere)(
  `10,000 pending jobs cost at most 100 commands of Redis a second (${NEEDS_REDIS})`,
  { timeout: 120_000 },
  async () => {
    const [first] = bench.tasks as readonly [Task];
    const many = Array.from({ length: 10_000 }, (_, at) => ({ ...first, id: `t${at}` }));
    const stop = new AbortController();
    let added = false;
    const rolled = rollOutOnFleet({
      ...requestOf(bench.redis.url, "pending", many),
      // The default.
      lookMs: 2_000,
      signal: stop.signal,
      onProgress: () => (added = true),
    });
    await until(() => added);
    const client = redisOf(await connectRedis(bench.redis.url));
    const before = await commandsOf(client);
    // Three looks at everything, each with three questions for every thousand jobs.
    let after = before;
    let asked = 0;
    const looks = async (): Promise<number> => {
      asked += 1;
      after = await commandsOf(client);
      return (after.looks - before.looks) / 30;
    };
    await expect.poll(looks, { interval: 250, timeout: 60_000 }).toBeGreaterThanOrEqual(3);
    stop.abort();
    await expect(rolled).rejects.toMatchObject({ code: "cancelled" });
    client.disconnect();
    // Each question of this test is two commands; the first one's second came after it was counted.
    const calls = after.calls - before.calls - 2 * asked;
    const rate = calls / (after.seconds - before.seconds);
    expect(calls).toBeGreaterThanOrEqual(90);
    expect(rate).toBeLessThanOrEqual(100);
  },
);

/** Every command that the server ran, those inside scripts too, and its time. */
async function commandsOf(client: ReturnType<typeof redisOf>): Promise<Record<"calls" | "looks" | "seconds", number>> {
  const text = await client.info("commandstats");
  const calls = [...text.matchAll(/calls=(\d+)/g)].reduce((total, [, count]) => total + Number(count), 0);
  const [seconds, microseconds] = await client.time();
  const looks = Number(/cmdstat_zmscore:calls=(\d+)/.exec(text)?.[1] ?? 0);
  return { calls, looks, seconds: Number(seconds) + Number(microseconds) / 1e6 };
}
