import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { NEEDS_REDIS, redisThere, startRedis, type TestRedis } from "../../../../../test/support/redis.ts";
import { startTrainer } from "limbeck-remote/tinker-server/server";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";

let folder = "";
let redis: TestRedis | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-worker-command-"));
  await writeTinyModel(join(folder, "start"), 1, 1_024);
  if (redisThere) redis = await startRedis();
});
afterAll(async () => {
  await redis?.close();
  await rm(folder, { recursive: true, force: true });
});

const url = (): string => redis?.url ?? "";

/** A worker beside the test, until the work is done; then what it said. */
async function withWorker<T>(work: () => Promise<T>): Promise<readonly [T, Awaited<ReturnType<typeof limbeck>>]> {
  const stop = new AbortController();
  const words = ["worker", "--env", "household=2", "--cache", "cache", "--threads", "1", "--json"];
  const worker = limbeck(words, { cwd: folder, env: { LIMBECK_REDIS: url() }, signal: stop.signal });
  try {
    const early = worker.then(({ err }): never => {
      throw new Error(`The worker ended before its work: ${err}`);
    });
    const result = await Promise.race([work(), early]);
    early.catch(() => undefined);
    stop.abort();
    return [result, await worker];
  } finally {
    stop.abort();
    await worker;
  }
}

const rollOut = (...more: string[]) =>
  limbeck(
    ["rollout", "--env", "household", "--env-set", "dial=tiny", "--count", "3", "--fleet", url(), "--json", ...more],
    { cwd: folder },
  );

test.skipIf(!redisThere)(
  `a rollout on workers stores what a rollout in one process stores (${NEEDS_REDIS})`,
  async () => {
    const [[stored, sent], worker] = await withWorker(async () => [
      await rollOut("--policy", "guesser", "--group", "2", "--run", "stored"),
      await rollOut("--policy", "guesser", "--group", "2", "--run", "sent", "--deliver", "caller"),
    ]);
    const here = ["rollout", "--env", "household", "--env-set", "dial=tiny", "--count", "3", "--policy", "guesser"];
    await limbeck([...here, "--group", "2", "--run", "here"], { cwd: folder });
    expect([stored?.code, stored?.err, sent?.code]).toEqual([0, "", 0]);
    expect(stored?.objects().at(-1)).toMatchObject({ event: "end", run: "stored", trajectories: 6, parked: [] });
    const sql =
      "select run, count(*) n, sum(success::int) ok, sum(step_count) steps from trajectories group by run order by run";
    const { objects, err } = await limbeck(["sql", sql, "--json"], { cwd: folder });
    expect(err).toBe("");
    const [first, second, third] = objects();
    expect([second?.["n"], third?.["n"]]).toEqual([6, 6]);
    expect([second?.["ok"], third?.["ok"]]).toEqual([first?.["ok"], first?.["ok"]]);
    expect([second?.["steps"], third?.["steps"]]).toEqual([first?.["steps"], first?.["steps"]]);
    expect(worker.objects()[0]).toMatchObject({ event: "ready", worlds: { household: 2 } });
    expect(worker.objects().at(-1)).toMatchObject({ event: "stopped", jobs: 6, failed: 0 });
  },
);

test.skipIf(!redisThere)(`a run that is there is continued, and nothing is stored twice (${NEEDS_REDIS})`, async () => {
  await withWorker(async () => {
    const words = ["--policy", "expert", "--group", "1", "--run", "twice"];
    await rollOut(...words);
    expect((await rollOut(...words)).code).toBe(0);
  });
  const { objects } = await limbeck(["sql", "select count(*) n from trajectories where run = 'twice'", "--json"], {
    cwd: folder,
  });
  expect(objects()).toEqual([{ n: 3 }]);
});

test.skipIf(!redisThere)(`limbeck train plays on workers (${NEEDS_REDIS})`, async () => {
  const small = ["tasks=1", "group=2", "answerTokens=3", "maxSteps=2"].flatMap((setting) => ["--set", setting]);
  const words = "train --recipe grpo --model start --steps 2 --report-tasks 1 --validate-every 0 --lag 1 --threads 1";
  const [trained] = await withWorker(() =>
    limbeck([...words.split(" "), ...small, "--fleet", url(), "--dir", "trained", "--json"], { cwd: folder }),
  );
  expect([trained.code, trained.err]).toEqual([0, ""]);
  const updates = trained.objects().filter(({ event }) => event === "update");
  expect(updates).toHaveLength(2);
  expect(updates[1]?.["metrics"]).toMatchObject({ "async/lag": expect.any(Number) });
});

test.skipIf(!redisThere)(`with --json it is told that no worker is there (${NEEDS_REDIS})`, async () => {
  const stop = new AbortController();
  const seen: string[] = [];
  const words = ["rollout", "--env", "household", "--env-set", "dial=tiny", "--count", "3", "--policy", "guesser"];
  const rolled = limbeck([...words, "--fleet", url(), "--json", "--run", "nobody"], {
    cwd: folder,
    signal: stop.signal,
    onOut: (line) => {
      seen.push(line);
      if (line.includes("No worker is there")) stop.abort();
    },
  });
  const { code, objects } = await rolled;
  expect(code).not.toBe(0);
  expect(objects()[0]).toMatchObject({ event: "notice", message: expect.stringContaining("limbeck worker") });
});

test.skipIf(!redisThere)(
  `a key that the trainer refuses ends the worker before it takes a job (${NEEDS_REDIS})`,
  async () => {
    const trainer = await startTrainer({
      model: join(folder, "start"),
      checkpoints: join(folder, "kept"),
      apiKey: "right",
    });
    try {
      const env = { LIMBECK_REDIS: url(), TINKER_BASE_URL: trainer.url, TINKER_API_KEY: "wrong" };
      const { code, err } = await limbeck(["worker", "--env", "household", "--cache", "cache"], { cwd: folder, env });
      expect([code, err]).toEqual([2, expect.stringContaining("key")]);
    } finally {
      await trainer.close();
    }
  },
);

test.skipIf(!redisThere)(`a worker tells its health and its numbers (${NEEDS_REDIS})`, async () => {
  const stop = new AbortController();
  const seen: Record<string, unknown>[] = [];
  const words = ["worker", "--env", "household", "--cache", "cache", "--metrics", "127.0.0.1:0", "--json"];
  const env = { LIMBECK_REDIS: url() };
  const onOut = (text: string): void => void seen.push(JSON.parse(text) as Record<string, unknown>);
  const worker = limbeck(words, { cwd: folder, env, signal: stop.signal, onOut });
  await expect.poll(() => seen[0]?.["event"]).toBe("ready");
  const address = String(seen[0]?.["metrics"]);
  expect(await (await fetch(address)).text()).toContain('state="idle"} 1\n');
  expect((await fetch(address.replace("metrics", "readyz"))).status).toBe(200);
  stop.abort();
  await worker;
  await expect(fetch(address)).rejects.toThrow("fetch failed");
});

test("what is missing or wrong is said", async () => {
  const none = await limbeck(["worker"], { cwd: folder });
  expect([none.code, none.err]).toEqual([2, expect.stringContaining("LIMBECK_REDIS")]);
  const world = await limbeck(["worker", "--redis", "redis://a", "--env", "moon"], { cwd: folder });
  expect([world.code, world.err]).toEqual([2, expect.stringContaining("moon")]);
  const limit = await limbeck(
    ["rollout", "--env", "household", "--policy", "expert", "--fleet", "redis://a", "--limit", "envSteps=1"],
    { cwd: folder },
  );
  expect([limit.code, limit.err]).toEqual([2, expect.stringContaining("purse")]);
  const lag = await limbeck(["train", "--correction", "token"], { cwd: folder });
  expect([lag.code, lag.err]).toEqual([2, expect.stringContaining("--lag")]);
  const train = (...words: string[]) => limbeck(["train", "--fleet", "redis://a", ...words], { cwd: folder });
  const everywhere = await train("--serve", "0.0.0.0:4177");
  expect([everywhere.code, everywhere.err]).toEqual([2, expect.stringContaining("--announce http://HOST:4177")]);
  const announced = await train("--serve", "0.0.0.0:4177", "--announce", "10.0.0.5:4177");
  expect([announced.code, announced.err]).toEqual([2, expect.stringContaining("http://10.0.0.5:4145")]);
  const stray = await train("--announce", "http://10.0.0.5:4177");
  expect([stray.code, stray.err]).toEqual([2, expect.stringContaining("--serve")]);
  const serve = await limbeck(["train", "--fleet", "redis://a", "--serve", "here"], { cwd: folder });
  expect([serve.code, serve.err]).toEqual([2, expect.stringContaining("10.0.0.5:4145")]);
});
