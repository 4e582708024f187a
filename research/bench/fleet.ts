/** The fleet: how throughput grows with the number of workers when the policy waits, and what a job costs besides. */
import { mkdtemp, rm } from "node:fs/promises";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { getWorld } from "../../packages/worlds/src/index.ts";
import { rollOutOnFleet, type FleetRequest } from "../../packages/remote/src/fleet/roll-out-on-fleet.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import type { Bench } from "./harness.ts";

const WAIT_MS = 50;
const IN_A_PROCESS = 8;
const COUNTS = [1, 2, 4, 8, 16, 32];
/** Episodes of each worker: enough that the beginning and the end of a round weigh little. */
const JOBS_EACH = 20;
/** Of every episode: who only looks gets nowhere, so that a round does not end with its longest episode. */
const STEPS = 10;

async function startServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  const folder = await mkdtemp(join(tmpdir(), "limbeck-bench-redis-"));
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
  const child = spawn("redis-server", options, { stdio: "ignore" });
  return {
    url: `redis://127.0.0.1:${port}`,
    close: async () => {
      const ended = once(child, "exit");
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Round {
  readonly workers: number;
  readonly episodesPerSecond: number;
  /** Time of an episode at a worker beyond the waits of its policy. */
  readonly overheadMs: number;
}

/** Processes with up to 8 workers each, ready to work; closed, they say how long their episodes took beyond the waits. */
async function startWorkers(url: string, workers: number): Promise<() => Promise<number>> {
  const counts = Array.from({ length: Math.ceil(workers / IN_A_PROCESS) }, (_, at) =>
    Math.min(IN_A_PROCESS, workers - at * IN_A_PROCESS),
  );
  const children = await Promise.all(
    counts.map(async (count) => {
      const program = ["--import", "tsx", join(import.meta.dirname, "fleet-worker.ts"), url, String(count)];
      const child = spawn(process.execPath, program, { stdio: ["pipe", "pipe", "inherit"] });
      const lines = createInterface({ input: child.stdout });
      await once(lines, "line");
      return { child, lines };
    }),
  );
  return async () => {
    const said = children.map(async ({ child, lines }) => {
      const line = once(lines, "line");
      child.stdin.end();
      const [text] = (await line) as [string];
      return (JSON.parse(text) as { readonly overheadMs: number }).overheadMs;
    });
    return (await Promise.all(said)).reduce((sum, own) => sum + own, 0);
  };
}

async function round(url: string, workers: number, tasks: readonly Task[]): Promise<Round> {
  const stop = await startWorkers(url, workers);
  const jobs = workers * JOBS_EACH;
  const request: FleetRequest = {
    redis: url,
    run: `bench-${workers}-${performance.now()}`,
    env: { id: "household", options: { dial: "tiny" } },
    tasks: tasks.slice(0, jobs),
    strategy: { name: "group", options: { size: 1 } },
    seed: 1,
    prefix: "",
    agent: { kind: "script", name: "wanderer" },
    peers: 0,
    episode: { steps: STEPS },
    attempts: 1,
    concurrency: 1,
    deliver: { to: "caller" },
    onEpisodes: () => Promise.resolve(),
  };
  const from = performance.now();
  const { done } = await rollOutOnFleet(request);
  const seconds = (performance.now() - from) / 1_000;
  return { workers, episodesPerSecond: done / seconds, overheadMs: (await stop()) / Math.max(1, done) };
}

const scaling: Bench = {
  name: "fleet/scaling",
  summary: `Episodes a second with 32 workers over 32 times those with 1; the policy waits ${WAIT_MS} ms per call.`,
  unit: "of linear",
  goal: { at: "least", value: 0.9 },
  repetitions: 1,
  warmUps: 0,
  setUp: async () => {
    if (spawnSync("redis-server", ["--version"]).status !== 0) {
      throw new Error("fleet/scaling needs redis-server (on Debian: apt-get install redis-server).");
    }
    const server = await startServer();
    const env = await (await getWorld("household")).create({ dial: "tiny" });
    const tasks: Task[] = [];
    for await (const task of env.tasks("train", { count: JOBS_EACH * Math.max(...COUNTS) })) tasks.push(task);
    let rounds: Round[] = [];
    return {
      measure: async () => {
        rounds = [];
        for (const workers of COUNTS) rounds.push(await round(server.url, workers, tasks));
        const [one, most] = [rounds[0], rounds.at(-1)];
        return (most?.episodesPerSecond ?? 0) / ((one?.episodesPerSecond ?? 1) * (most?.workers ?? 1));
      },
      close: () => server.close(),
      notes: () =>
        Object.fromEntries(
          rounds.flatMap(({ workers, episodesPerSecond, overheadMs }) => [
            [`${workers} workers, episodes/s`, episodesPerSecond],
            [`${workers} workers, overhead ms/episode`, overheadMs],
          ]),
        ),
    };
  },
};

export const fleetBenches: readonly Bench[] = [scaling];
