/** The fleet as it is: what a worker says of itself, and what is read of workers, queues, rates and what went wrong. */
import type { Queue, Worker } from "bullmq";
import { z } from "zod";
import { errorData, parseJson } from "../base/index.ts";
import {
  type FleetState,
  type ParkedJob,
  type QueueState,
  type WorkerReport,
  WorkerReportSchema,
} from "./fleet-report.ts";
import type { JobSummary } from "./job.ts";
import { failedAtKey, type NamedQueue, queueName, QUEUES_KEY, readQueueName, workerKey, WORKERS_KEY } from "./keys.ts";
import { isSameLine, type Line } from "./protocol.ts";
import { redisOf, withQueue } from "./queues.ts";
import type { RedisConnection } from "./redis-connection.ts";

const ShownJobSchema = z
  .object({ run: z.string().catch(""), task: z.object({ id: z.string() }).catch({ id: "" }) })
  .catch({ run: "", task: { id: "" } });

const SHOWN_PARKED = 20;
const MINUTES = 5;

/**
 * Workers, queues and parked jobs, as they are now.
 *
 * @example
 * import { connectRedis } from "limbeck/fleet";
 *
 * const url = process.env["LIMBECK_REDIS"];
 * if (url !== undefined) {
 *   const redis = await connectRedis(url);
 *   const { workers, queues, parked } = await readFleet(redis);
 *   console.log(workers.length, queues.length, parked.length);
 *   redis.disconnect();
 * }
 */
export async function readFleet(connection: RedisConnection): Promise<FleetState> {
  const redis = redisOf(connection);
  const queues: QueueState[] = [];
  const parked: ParkedJob[] = [];
  for (const name of (await redis.smembers(QUEUES_KEY)).toSorted()) {
    const named = readQueueName(name);
    if (named === undefined) continue;
    const read = await withQueue(redis, name, (queue) => readQueue(queue, named));
    queues.push(read.state);
    parked.push(...read.parked);
  }
  return { workers: await readWorkers(redis), queues, parked };
}

/** In two commands, however many jobs there are; those that fell silent are forgotten. */
export async function readWorkers(connection: RedisConnection): Promise<WorkerReport[]> {
  const redis = redisOf(connection);
  const names = await redis.smembers(WORKERS_KEY);
  const texts = names.length === 0 ? [] : await redis.mget(names.map(workerKey));
  const silent = names.filter((_, at) => texts[at] === null);
  if (silent.length > 0) await redis.srem(WORKERS_KEY, ...silent);
  const reports = texts.flatMap((text) => {
    const parsed = WorkerReportSchema.safeParse(text === null ? undefined : parseJson(text));
    return parsed.success ? [parsed.data] : [];
  });
  return reports.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

async function readQueue(
  queue: Queue,
  named: NamedQueue,
): Promise<{ readonly state: QueueState; readonly parked: readonly ParkedJob[] }> {
  const counts = await queue.getJobCounts("waiting", "active", "delayed", "failed");
  const { data } = await queue.getMetrics("completed", 0, MINUTES - 1);
  const failed = await queue.getJobs(["failed"], 0, SHOWN_PARKED - 1);
  const perMinute = data.map(Number).filter((count) => Number.isFinite(count));
  return {
    state: {
      ...named,
      waiting: counts["waiting"] ?? 0,
      active: counts["active"] ?? 0,
      delayed: counts["delayed"] ?? 0,
      parked: counts["failed"] ?? 0,
      perMinute: perMinute.length === 0 ? 0 : perMinute.reduce((sum, count) => sum + count, 0) / perMinute.length,
      limit: await queue.getGlobalConcurrency(),
    },
    parked: failed.map((job) => {
      // Any program with access to Redis may have put anything there.
      const { run, task } = ShownJobSchema.parse(job.data);
      const error = job.failedReason ?? "unknown";
      return { world: named.world, job: job.id ?? "", run, task: task.id, attempts: job.attemptsMade, error };
    }),
  };
}

/**
 * Most jobs of a world at once over the whole fleet; null lifts the limit.
 *
 * @example
 * import { connectRedis, readFleet } from "limbeck/fleet";
 *
 * const url = process.env["LIMBECK_REDIS"];
 * if (url !== undefined) {
 *   const redis = await connectRedis(url);
 *   await limitWorld(redis, "household", 4);
 *   console.log((await readFleet(redis)).queues.map(({ world, limit }) => `${world}: ${limit}`));
 *   await limitWorld(redis, "household", null);
 *   redis.disconnect();
 * }
 */
export async function limitWorld(connection: RedisConnection, world: string, limit: number | null): Promise<void> {
  const redis = redisOf(connection);
  await withQueue(redis, queueName(world), async (queue) => {
    if (limit === null) await queue.removeGlobalConcurrency();
    else await queue.setGlobalConcurrency(limit);
    await redis.sadd(QUEUES_KEY, queueName(world));
  });
}

/**
 * Puts parked jobs back into their queues; returns how many.
 *
 * @example
 * import { connectRedis } from "limbeck/fleet";
 *
 * const url = process.env["LIMBECK_REDIS"];
 * if (url !== undefined) {
 *   const redis = await connectRedis(url);
 *   console.log(await retryParked(redis));
 *   redis.disconnect();
 * }
 */
export async function retryParked(connection: RedisConnection): Promise<number> {
  const redis = redisOf(connection);
  let count = 0;
  for (const name of await redis.smembers(QUEUES_KEY)) {
    await withQueue(redis, name, async (queue) => {
      for (const job of await queue.getJobs(["failed"])) {
        await redis.del(failedAtKey(job.id ?? ""));
        await job.retry("failed", { resetAttemptsMade: true });
        count += 1;
      }
    });
  }
  return count;
}

// What a worker says of itself, every few seconds, under a key that fades when it falls silent.

export interface Heartbeat {
  took(job: string): void;
  finished(job: string, summary: JobSummary, ms: number): void;
  lost(job: string, error: unknown): void;
  /** It takes no jobs, or none but one to try; undefined when that is over. */
  readonly paused: (why: Paused | undefined) => void;
  draining(): void;
  start(): void;
  readonly report: () => WorkerReport;
  close(): Promise<void>;
}

interface Paused {
  readonly state: "blocked" | "set-aside";
  readonly message: string;
}

interface HeartbeatOptions {
  readonly name: string;
  readonly line: Line;
  readonly worlds: Readonly<Record<string, number>>;
  readonly leaseMs: number;
  readonly now: () => number;
}

export function createHeartbeat(
  connection: RedisConnection,
  { name, line, worlds, leaseMs, now }: HeartbeatOptions,
): Heartbeat {
  const redis = redisOf(connection);
  const started = now();
  const active = new Set<string>();
  const counts = { jobs: 0, episodes: 0, failed: 0, ms: 0 };
  let [paused, problem] = [undefined as Paused | undefined, null as string | null];
  let drains = false;
  let timer: NodeJS.Timeout | undefined;
  const everyMs = Math.min(leaseMs / 3, 5_000);
  const state = (): WorkerReport["state"] => {
    if (drains) return "draining";
    if (paused !== undefined) return paused.state;
    return active.size > 0 ? "working" : "idle";
  };
  const report = (): WorkerReport => ({
    name,
    state: state(),
    protocol: line.protocol,
    engine: line.engine,
    worlds: { ...worlds },
    active: active.size,
    jobs: counts.jobs,
    episodes: counts.episodes,
    failed: counts.failed,
    seconds: (now() - started) / 1_000,
    secondsPerJob: counts.jobs === 0 ? 0 : counts.ms / counts.jobs / 1_000,
    problem: paused?.message ?? problem,
  });
  const beat = (): void => {
    // Without a connection commands would pile up.
    if (redis.status !== "ready") return;
    const said = JSON.stringify(report());
    // A beat that is lost is followed by the next; silence for longer than the lease is what counts.
    void redis.set(workerKey(name), said, "PX", Math.round(everyMs * 4)).catch(() => undefined);
    void redis.sadd(WORKERS_KEY, name).catch(() => undefined);
  };
  return {
    took: (job) => void active.add(job),
    finished: (job, summary, ms) => {
      active.delete(job);
      counts.jobs += 1;
      counts.episodes += summary.episodes;
      counts.ms += ms;
    },
    lost: (job, error) => {
      active.delete(job);
      if (error === undefined) return;
      counts.failed += 1;
      problem = errorData(error).message;
      beat();
    },
    paused: (why) => {
      if (why === paused) return;
      paused = why;
      beat();
    },
    draining: () => {
      drains = true;
      beat();
    },
    start: () => {
      beat();
      timer = setInterval(beat, everyMs);
    },
    report,
    close: async () => {
      clearInterval(timer);
      if (redis.status !== "ready") return;
      // Its name runs out by itself where it cannot be taken back.
      await redis.del(workerKey(name)).catch(() => undefined);
      await redis.srem(WORKERS_KEY, name).catch(() => undefined);
    },
  };
}

// Whether it is the worker or the job. One that fails several different jobs one after the other is taken to be at fault
// itself, and a job that failed here goes first to workers where it has not.

export interface Standing {
  /** Notes that the job failed here; whether this worker should be set aside now. */
  failed(job: string): Promise<boolean>;
  finished(): void;
  /** The job failed here, and there is somebody in good standing who has not tried it. */
  leavesToOthers(job: string, world: string): Promise<boolean>;
}

interface StandingOptions {
  readonly name: string;
  readonly line: Line;
  readonly failures: number;
}

const DAY_S = 24 * 60 * 60;
const GOOD = new Set(["working", "idle"]);

export function createStanding(connection: RedisConnection, { name, line, failures }: StandingOptions): Standing {
  const redis = redisOf(connection);
  const inARow = new Set<string>();
  return {
    failed: async (job) => {
      inARow.add(job);
      if (redis.status === "ready") {
        const key = failedAtKey(job);
        await redis
          .multi()
          .sadd(key, name)
          .expire(key, DAY_S)
          .exec()
          // Without this note the job may come back here once more; nothing is lost.
          .catch(() => undefined);
      }
      return inARow.size >= failures;
    },
    finished: () => inARow.clear(),
    leavesToOthers: async (job, world) => {
      const tried = new Set(await redis.smembers(failedAtKey(job)));
      if (!tried.has(name)) return false;
      const workers = await readWorkers(redis);
      return workers.some(
        (other) =>
          !tried.has(other.name) &&
          GOOD.has(other.state) &&
          Object.hasOwn(other.worlds, world) &&
          isSameLine(other, line),
      );
    },
  };
}

// A worker that cannot write, or fails whatever it takes, would empty the queue faster than others can work. It pauses, longer
// each time, and then tries again. The time is the machine's own, not the time of day.

export interface Pause {
  begin(state: Paused["state"], error: unknown): void;
  /** Something was played and delivered. */
  end(): void;
  close(): void;
}

type PauseEvent = { readonly kind: Paused["state"]; readonly message: string; readonly waitMs: number };

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

export function createPause(
  workers: () => readonly Worker[],
  say: (why: Paused | undefined) => void,
  onEvent: (event: PauseEvent) => void,
): Pause {
  let waitMs = FIRST_MS;
  let timer: NodeJS.Timeout | undefined;
  return {
    begin: (state, error) => {
      if (timer !== undefined) return;
      const { message } = errorData(error);
      say({ state, message });
      onEvent({ kind: state, message, waitMs });
      // A worker that is closing takes no more jobs anyway.
      for (const worker of workers()) void worker.pause(true).catch(() => undefined);
      timer = setTimeout(() => {
        timer = undefined;
        // A worker that is closing does not go on.
        for (const worker of workers()) void worker.resume().catch(() => undefined);
      }, waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_MS);
    },
    end: () => {
      waitMs = FIRST_MS;
      say(undefined);
    },
    close: () => clearTimeout(timer),
  };
}
