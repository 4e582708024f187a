import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fleetBench } from "../../../../test/support/fleet-bench.ts";
import { outcomes, quietly, requestOf } from "../../../../test/support/fleet.ts";
import { NEEDS_REDIS, redisThere } from "../../../../test/support/redis.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { getWorld } from "limbeck-worlds/index";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import { openStore } from "limbeck-store/store/open-store";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Agents } from "./agents.ts";
import { connectRedis } from "./connection.ts";
import { deliver } from "./deliver.ts";
import { limitWorld, readFleet, retryParked } from "./fleet-state.ts";
import { rollOutOnFleet } from "./roll-out-on-fleet.ts";
import { startWorker, type FleetWorker, type WorkerEvent } from "./worker.ts";
import { keyedJob, parseJob, type RolloutJob } from "./job.ts";
import { loadBullmq, redisOf } from "./queues.ts";
import { PREFIX, queueName, resultKey, untrustedKey, workerKey, WORKERS_KEY } from "./keys.ts";
import { packEpisodes } from "./packed-episodes.ts";
import { OWN_LINE } from "./protocol.ts";
import { createIdentity, signedBytes } from "./trust.ts";

const newFolder = temporaryFolders();
const bench = fleetBench(12);

/** The guesser, but with something of its own to do before each episode. */
async function guesserWho(before: (task: Task) => void): Promise<Agents> {
  const demonstrator = (await getWorld("household")).demonstrators?.["guesser"];
  if (demonstrator === undefined) throw new Error("no guesser");
  const agent = createDemonstratorAgent(demonstrator);
  const begin: typeof agent.begin = (task, seed) => {
    before(task);
    return agent.begin(task, seed);
  };
  return {
    lease: () => Promise.resolve({ agent: { ...agent, begin }, release: () => undefined }),
    close: () => Promise.resolve(),
  };
}

async function stored(root: string, run: string): Promise<Trajectory[]> {
  const store = openStore(root);
  const found: Trajectory[] = [];
  for await (const trajectory of store.trajectories({ run })) found.push(trajectory);
  await store.close();
  return found;
}

test.skipIf(!redisThere)(
  `episodes come back in the order of the tasks, the same as in one process (${NEEDS_REDIS})`,
  async () => {
    await bench.worker();
    await bench.worker();
    const { collected, ...result } = await rollOutOnFleet(requestOf(bench.redis.url, "back", bench.tasks));
    expect(outcomes(collected)).toEqual(outcomes(await quietly(bench.tasks)));
    expect(result).toMatchObject({ jobs: 12, done: 12, episodes: 24, parked: 0, givenUp: [] });
    // Nothing is left behind in Redis.
    const client = redisOf(await connectRedis(bench.redis.url));
    expect(await client.keys("limbeck:result:*")).toEqual([]);
    client.disconnect();
  },
);

test.skipIf(!redisThere)(
  `a poisoned job is parked after its retries with its error, the run goes on, and it can be tried again (${NEEDS_REDIS})`,
  async () => {
    const poison = bench.tasks[3]?.id;
    let cured = false;
    const agents = await guesserWho(({ id }) => {
      if (id === poison && !cured) throw new Error("out of cheese");
    });
    // What an agent throws at its beginning is the job's failure, not an episode's.
    await bench.worker({ agents });
    const notices: string[] = [];
    const request = requestOf(bench.redis.url, "poison", bench.tasks);
    const result = await rollOutOnFleet({ ...request, onNotice: (message) => notices.push(message) });
    expect(result).toMatchObject({ done: 11, parked: 1, givenUp: [{ task: poison, attempts: 3 }] });
    expect(result.givenUp[0]?.error).toContain("out of cheese");
    expect(notices.join()).toContain("given up after 3 attempts");
    const client = redisOf(await connectRedis(bench.redis.url));
    const state = await readFleet(client);
    expect(state.queues).toMatchObject([{ world: "household", waiting: 0, active: 0, parked: 1 }]);
    expect(state.parked).toMatchObject([{ task: poison, run: "poison", attempts: 3 }]);
    expect(state.workers).toMatchObject([{ worlds: { household: 2 }, problem: expect.stringContaining("cheese") }]);
    cured = true;
    expect(await retryParked(client)).toBe(1);
    const again = await rollOutOnFleet(requestOf(bench.redis.url, "poison", bench.tasks.slice(3, 4)));
    expect(again).toMatchObject({ done: 1, parked: 0 });
    client.disconnect();
  },
);

test.skipIf(!redisThere)(
  `a worker that computes but cannot write gives its jobs back and waits; another one stores them (${NEEDS_REDIS})`,
  async () => {
    const root = await newFolder();
    const store = openStore(root);
    const { run } = await store.createRun({ kind: "rollout" });
    await store.close();
    const blocked = join(await newFolder(), "file");
    await writeFile(blocked, "not a folder");
    const events: WorkerEvent[] = [];
    const poor = await bench.worker({ store: blocked, name: "poor", onEvent: (event) => events.push(event) });
    const request = { ...requestOf(bench.redis.url, run, bench.tasks), deliver: { to: "store", root } as const };
    const notices: string[] = [];
    const rolled = rollOutOnFleet({ ...request, onNotice: (message) => notices.push(message) });
    await until(() => notices.length > 0);
    expect(notices[0]).toContain("Every worker is blocked");
    expect(poor.report()).toMatchObject({ state: "blocked", jobs: 0, failed: 0 });
    await bench.worker({ name: "rich" });
    // No attempt was lost at the poor one.
    expect(await rolled).toMatchObject({ done: 12, parked: 0 });
    expect(events.some(({ kind }) => kind === "blocked")).toBe(true);
    expect(outcomes(await stored(root, run)).sort()).toEqual(outcomes(await quietly(bench.tasks)).sort());
  },
);

test.skipIf(!redisThere)(
  `Redis is killed and comes back without its memory: everything is played, and stored once (${NEEDS_REDIS})`,
  async () => {
    const root = await newFolder();
    const store = openStore(root);
    const { run } = await store.createRun({ kind: "rollout" });
    await store.close();
    let begun = 0;
    const agents = await guesserWho(() => (begun += 1));
    await bench.worker({ agents, worlds: { household: 1 } });
    const notices: string[] = [];
    const request = { ...requestOf(bench.redis.url, run, bench.tasks), deliver: { to: "store", root } as const };
    const rolled = rollOutOnFleet({ ...request, onNotice: (message) => notices.push(message) });
    await until(() => begun >= 4);
    await bench.redis.kill();
    await until(() => notices.some((message) => message.startsWith("Redis is gone")));
    await bench.redis.start();
    const result = await rolled;
    expect(notices.some((message) => message.startsWith("Redis is back"))).toBe(true);
    expect(result.parked).toBe(0);
    expect(outcomes(await stored(root, run)).sort()).toEqual(outcomes(await quietly(bench.tasks)).sort());
  },
);

test.skipIf(!redisThere)(`two workers finish the same job: one set of episodes (${NEEDS_REDIS})`, async () => {
  const root = await newFolder();
  const store = openStore(root);
  const { run } = await store.createRun({ kind: "rollout" });
  await store.close();
  const client = redisOf(await connectRedis(bench.redis.url));
  const {
    redis: _redis,
    tasks: all,
    lookMs: _look,
    backOffMs: _back,
    ...shared
  } = requestOf(bench.redis.url, run, bench.tasks);
  const task = all[0] as RolloutJob["task"];
  const job = keyedJob({ ...shared, task, deliver: { to: "store", root } });
  const episodes = (await quietly(bench.tasks)).filter(({ group }) => group === task.id);
  const to = { redis: client, store: undefined, identity: createIdentity("w") };
  await Promise.all([1, 2].map(() => deliver(job, episodes, to)));
  await deliver(job, episodes, to);
  expect(outcomes(await stored(root, run))).toEqual(outcomes(episodes));
  client.disconnect();
});

/** Takes four jobs. From the third on it sends other episodes than it played, or signs with a key that it did not announce. */
async function startLiar(lie: "reward" | "signature"): Promise<() => Promise<void>> {
  const client = redisOf(await connectRedis(bench.redis.url));
  const [own, other] = [createIdentity("liar"), createIdentity("liar")];
  const about = { state: "working", ...OWN_LINE, worlds: { household: 1 }, active: 0, jobs: 0, episodes: 0, failed: 0 };
  const report = { name: "liar", key: own.key, ...about, seconds: 1, secondsPerJob: 0, problem: null };
  await client.set(workerKey("liar"), JSON.stringify(report));
  await client.sadd(WORKERS_KEY, "liar");
  let taken = 0;
  const { Worker } = await loadBullmq();
  const connection = client.duplicate();
  connection.on("error", () => undefined);
  const worker = new Worker(
    queueName("household"),
    async ({ data }) => {
      taken += 1;
      const lies = taken > 2;
      if (taken === 4) void worker.pause(true);
      const job = parseJob(data);
      const played = await quietly([job.task]);
      const better =
        lies && lie === "reward" ? played.map((one) => ({ ...one, success: one.success !== true })) : played;
      const by = lies && lie === "signature" ? other : own;
      await client.set(resultKey(job.key), signedBytes(job, await packEpisodes(better), by));
      const counts = { trajectories: 2, episodes: 2, failed: 0, succeeded: 2, judged: 2, steps: 2, sampledTokens: 0 };
      return { ...counts, worker: "liar" };
    },
    { connection, prefix: PREFIX, concurrency: 1 },
  );
  worker.on("error", () => undefined);
  return async () => {
    await worker.close();
    connection.disconnect();
    client.disconnect();
  };
}

test.skipIf(!redisThere).each(["reward", "signature"] as const)(
  `a worker whose results have another %s is found, and all its work is played by another one (${NEEDS_REDIS})`,
  async (lie) => {
    const close = await startLiar(lie);
    const notices: string[] = [];
    const request = { ...requestOf(bench.redis.url, "lies", bench.tasks), replay: 1 };
    const rolled = rollOutOnFleet({ ...request, onNotice: (message) => notices.push(message) });
    await until(() => notices.length > 0);
    const honest = await bench.worker({ name: "honest" });
    expect(outcomes((await rolled).collected)).toEqual(outcomes(await quietly(bench.tasks)));
    expect(notices).toEqual([expect.stringContaining("Results of worker liar are not believed: ")]);
    expect(notices[0]).toContain({ reward: "its success is", signature: "another signature" }[lie]);
    // What it sent before it was found is played again too.
    expect(honest.report().jobs).toBe(12);
    await close();
  },
);

test.skipIf(!redisThere)(`a worker that is not believed takes no jobs, and says why (${NEEDS_REDIS})`, async () => {
  const client = redisOf(await connectRedis(bench.redis.url));
  await client.set(untrustedKey("suspect"), "step 3 earned 1, and here 0");
  const suspect = await bench.worker({ name: "suspect" });
  const rolled = rollOutOnFleet(requestOf(bench.redis.url, "suspect", bench.tasks));
  await until(() => suspect.report().state === "set-aside");
  expect(suspect.report()).toMatchObject({ jobs: 0, problem: expect.stringContaining("step 3 earned 1, and here 0") });
  await bench.worker({ name: "honest" });
  expect((await rolled).done).toBe(12);
  expect(suspect.report().jobs).toBe(0);
  client.disconnect();
});

test.skipIf(!redisThere)(
  `a worker that is asked to end finishes what it has and takes nothing more (${NEEDS_REDIS})`,
  async () => {
    let closing: Promise<void> | undefined;
    const agents = await guesserWho(() => {
      closing ??= first.close();
    });
    const first: FleetWorker = await startWorker({
      redis: bench.redis.url,
      cache: await newFolder(),
      worlds: { household: 1 },
      agents,
      leaseMs: 3_000,
    });
    const rolled = rollOutOnFleet(requestOf(bench.redis.url, "drain", bench.tasks));
    await until(() => closing !== undefined);
    await closing;
    expect(first.report()).toMatchObject({ state: "draining", jobs: 1, active: 0, failed: 0 });
    await bench.worker();
    expect(await rolled).toMatchObject({ done: 12, parked: 0 });
  },
);

test.skipIf(!redisThere)(`who asks can stop asking: what nobody has begun is taken back (${NEEDS_REDIS})`, async () => {
  const stop = new AbortController();
  const request = { ...requestOf(bench.redis.url, "stopped", bench.tasks), signal: stop.signal };
  let told = false;
  const rolled = rollOutOnFleet({ ...request, onProgress: () => (told = true) });
  await until(() => told);
  stop.abort();
  await expect(rolled).rejects.toMatchObject({ code: "cancelled" });
  const client = redisOf(await connectRedis(bench.redis.url));
  expect((await readFleet(client)).queues).toMatchObject([{ waiting: 0, active: 0, delayed: 0 }]);
  client.disconnect();
});

test.skipIf(!redisThere)(`a world may have a limit over the whole fleet (${NEEDS_REDIS})`, async () => {
  const client = redisOf(await connectRedis(bench.redis.url));
  await limitWorld(client, "household", 1);
  expect((await readFleet(client)).queues).toMatchObject([{ world: "household", limit: 1 }]);
  let [now, most] = [0, 0];
  const agents = await guesserWho(() => (most = Math.max(most, now)));
  const counted: Agents = {
    ...agents,
    lease: async (...args) => {
      now += 1;
      const leased = await agents.lease(...args);
      return { ...leased, release: () => (now -= 1) };
    },
  };
  await bench.worker({ agents: counted, worlds: { household: 4 } });
  await rollOutOnFleet(requestOf(bench.redis.url, "limited", bench.tasks));
  expect(most).toBe(1);
  await limitWorld(client, "household", null);
  expect((await readFleet(client)).queues).toMatchObject([{ limit: null }]);
  client.disconnect();
});

test("an address that is none, and a server that is not there, say what to do", async () => {
  await expect(connectRedis("localhost:6379")).rejects.toMatchObject({ code: "bad-option" });
  await expect(connectRedis("http://localhost")).rejects.toMatchObject({ code: "bad-option" });
  const nobody = connectRedis("redis://:secret@127.0.0.1:1", { connectMs: 50 });
  await expect(nobody).rejects.toMatchObject({ code: "redis-unreachable" });
  await expect(nobody).rejects.not.toMatchObject({ message: expect.stringContaining("secret") });
});

/** Waits for something that happens in its own time; the test's limit bounds it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
