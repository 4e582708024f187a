/** What a worker says of itself, every few seconds, under a key that fades when it falls silent. */
import { errorData } from "../base/index.ts";
import type { WorkerReport } from "./fleet-report.ts";
import type { JobSummary } from "./job.ts";
import { workerKey, WORKERS_KEY } from "./keys.ts";
import type { Line } from "./protocol.ts";
import { redisOf } from "./queues.ts";
import type { RedisConnection } from "./redis-connection.ts";

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
    // Without a connection there is nobody to tell; commands must not pile up meanwhile.
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
