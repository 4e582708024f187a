/** What a worker says of itself, every few seconds, under a key that fades when it falls silent. */
import { errorData } from "limbeck-base/base/errors";
import type { WorkerReport } from "./fleet-report.ts";
import type { JobSummary } from "./job.ts";
import { failedAtKey, workerKey, WORKERS_KEY } from "./keys.ts";
import { isSameLine, type Line } from "./protocol.ts";
import { redisOf } from "./queues.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { readWorkers } from "./fleet-state.ts";
import type { Worker } from "bullmq";

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

export interface Paused {
  readonly state: "blocked" | "set-aside";
  readonly message: string;
}

export interface HeartbeatOptions {
  readonly name: string;
  readonly key: string;
  readonly line: Line;
  readonly worlds: Readonly<Record<string, number>>;
  readonly leaseMs: number;
  readonly now: () => number;
}

export function createHeartbeat(
  connection: RedisConnection,
  { name, key, line, worlds, leaseMs, now }: HeartbeatOptions,
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
    key,
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
    const state = JSON.stringify(report());
    // A beat that is lost is followed by the next; silence for longer than the lease is what counts.
    void redis.set(workerKey(name), state, "PX", Math.round(everyMs * 4)).catch(() => undefined);
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
  /** The job failed here, and a worker in good standing has not tried it. */
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
  onPaused: (why: Paused | undefined) => void,
  onEvent: (event: PauseEvent) => void,
): Pause {
  let waitMs = FIRST_MS;
  let timer: NodeJS.Timeout | undefined;
  return {
    begin: (state, error) => {
      if (timer !== undefined) return;
      const { message } = errorData(error);
      onPaused({ state, message });
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
      onPaused(undefined);
    },
    close: () => clearTimeout(timer),
  };
}
