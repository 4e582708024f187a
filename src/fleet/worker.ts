/**
 * A worker of the fleet: takes jobs, plays them, delivers the episodes. It can die at any moment: the job goes to another
 * worker when its lease ends, and whatever is done twice is stored once.
 */
import { checkOptions, may } from "../base/options.ts";
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Job, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { EngineError, errorData } from "../base/index.ts";
import { bundledModel, bundledNames } from "../policy/local/bundled-model.ts";
import { createAgents, type Agents } from "./agents.ts";
import { connectRedis } from "./connection.ts";
import { deliver } from "./deliver.ts";
import type { WorkerReport } from "./fleet-report.ts";
import { checkStart } from "./check-start.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { parseJob, type JobSummary } from "./job.ts";
import { PREFIX, queueName } from "./keys.ts";
import { loadBullmq, redisOf } from "./queues.ts";
import { openMeters } from "./meters.ts";
import { createPause } from "./pause.ts";
import { createWorlds, playJob } from "./play-job.ts";
import { createPolicyCache } from "./policy-cache.ts";
import { OWN_LINE, type Line } from "./protocol.ts";
import { parseRewardJob, REWARDS, type RewardJob } from "./reward-job.ts";
import { createRewardGivers } from "./reward-worker.ts";
import { createStanding } from "./standing.ts";

export interface WorkerOptions {
  readonly redis: string;
  /** Worlds it serves, and how many jobs of each at the same time. */
  readonly worlds: Readonly<Record<string, number>>;
  /** Reward jobs that it takes at the same time: rewards of trainings with reward workers. Default: none. */
  readonly rewards?: number;
  /** Where versions of policies are kept. */
  readonly cache: string;
  /** Its own path to the store of every job. Default: as the job says. */
  readonly store?: string;
  readonly threads?: number;
  /** Whether jobs may name programs for a world to start. Default: no. */
  readonly allowCommands?: boolean;
  /** Other agents than those that jobs describe, for benches and tests. */
  readonly agents?: Agents;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly name?: string;
  /** A worker that was silent for so long loses its jobs. Default: 30 seconds. */
  readonly leaseMs?: number;
  /** A job whose workers died more often than this is parked. Default: 5. */
  readonly deaths?: number;
  /** After so many different jobs that failed one after the other it is set aside. Default: 3. */
  readonly failures?: number;
  /** What it says that it speaks, for tests. Default: what it does. */
  readonly protocol?: number;
  readonly engine?: string;
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
}

export const WORKER_CHECKS = {
  rewards: may.count,
  threads: may.count,
  leaseMs: may.positive,
  deaths: may.whole,
  failures: may.count,
} as const;

export type WorkerEvent =
  | { readonly kind: "taken"; readonly job: string; readonly task: string; readonly attempt: number }
  | {
      readonly kind: "done";
      readonly job: string;
      readonly task: string;
      readonly summary: JobSummary;
      readonly ms: number;
    }
  | {
      readonly kind: "failed";
      readonly job: string;
      readonly task: string;
      readonly code: string;
      readonly message: string;
    }
  /** It computes but cannot write; it takes no jobs for a while. */
  | { readonly kind: "blocked"; readonly message: string; readonly waitMs: number }
  /** It failed several jobs in a row; they go to others, and it tries one from time to time. */
  | { readonly kind: "set-aside"; readonly message: string; readonly waitMs: number }
  /** Something that it was told of does not work now, and may later. */
  | { readonly kind: "problem"; readonly message: string }
  | { readonly kind: "connection"; readonly connected: boolean };

export interface FleetWorker {
  readonly name: string;
  readonly report: () => WorkerReport;
  /** Takes no more jobs, finishes those in hand, and ends. */
  close(): Promise<void>;
}

/** A job that others should take first is left to them for so long. */
const PASSED_ON_MS = 500;
/** Finished jobs that nobody asked about go after a day, parked ones after a week. */
const DAY_S = 24 * 60 * 60;

/**
 * Takes jobs of these worlds until it is closed.
 *
 * @example
 * import { tmpdir } from "node:os";
 *
 * const redis = process.env["LIMBECK_REDIS"];
 * if (redis !== undefined) {
 *   const worker = await startWorker({ redis, worlds: { countdown: 2 }, cache: tmpdir() });
 *   console.log(worker.report().jobs);
 *   await worker.close();
 * }
 */
export async function startWorker(options: WorkerOptions): Promise<FleetWorker> {
  checkOptions("startWorker", options, WORKER_CHECKS);
  for (const world of Object.keys(options.worlds)) {
    checkOptions("startWorker", options.worlds, { [world]: may.count }, "worlds");
  }
  const { onEvent = () => undefined, now = () => performance.now(), leaseMs = 30_000 } = options;
  const name = options.name ?? `${hostname()}-${process.pid}-${randomBytes(2).toString("hex")}`;
  const line: Line = { protocol: options.protocol ?? OWN_LINE.protocol, engine: options.engine ?? OWN_LINE.engine };
  await checkStart(options, (message) => onEvent({ kind: "problem", message }));
  const onChange = (connected: boolean): void => onEvent({ kind: "connection", connected });
  const redis = redisOf(await connectRedis(options.redis, { onChange }));
  const { DelayedError, WaitingError, Worker: Queued } = await loadBullmq();
  const stop = new AbortController();
  const agents =
    options.agents ??
    createAgents({
      cache: createPolicyCache({ dir: options.cache, own: bundledNames.map(bundledModel), signal: stop.signal }),
      env: options.env ?? {},
      ...(options.threads === undefined ? {} : { threads: options.threads }),
    });
  const offered = { ...options.worlds, ...(options.rewards === undefined ? {} : { [REWARDS]: options.rewards }) };
  const givers = createRewardGivers(redis, name, options.env ?? {});
  const worlds = createWorlds({ allowCommands: options.allowCommands ?? false });
  const meters = await openMeters();
  const heartbeat = createHeartbeat(redis, { name, line, worlds: offered, now, leaseMs });
  const pause = createPause(() => workers, heartbeat.paused, onEvent);
  const standing = createStanding(redis, { name, line, failures: options.failures ?? 3 });

  const work = async (queued: Job, token: string | undefined): Promise<JobSummary> => {
    const started = now();
    const key = queued.id ?? "";
    let [task, world] = ["", ""];
    heartbeat.took(key);
    try {
      const reward = queued.name === REWARDS ? parseRewardJob(queued.data, line) : undefined;
      const job = reward === undefined ? parseJob(queued.data, line) : undefined;
      [task, world] = [(reward ?? job)?.task.id ?? "", job?.env.id ?? REWARDS];
      if (queued.attemptsMade > 0 && (await standing.leavesToOthers(key, world))) {
        await queued.moveToDelayed(Date.now() + PASSED_ON_MS, token);
        throw new DelayedError();
      }
      onEvent({ kind: "taken", job: key, task, attempt: queued.attemptsMade + 1 });
      const played = job === undefined ? undefined : await playJob(job, worlds, agents, stop.signal);
      try {
        if (job !== undefined) await deliver(job, played?.trajectories ?? [], { redis, store: options.store });
      } catch (error) {
        // Not the job's fault: it goes back without losing an attempt, and this worker waits before it takes another.
        pause.begin("blocked", error);
        await queued.moveToWait(token);
        throw new WaitingError();
      }
      const done = played?.summary ?? (await givers.give(reward as RewardJob, stop.signal));
      pause.end();
      standing.finished();
      const summary = { ...done, worker: name };
      const ms = now() - started;
      heartbeat.finished(key, summary, ms);
      meters.finished(world, summary, ms);
      onEvent({ kind: "done", job: key, task, summary, ms });
      return summary;
    } catch (error) {
      const passedOn = error instanceof WaitingError || error instanceof DelayedError;
      heartbeat.lost(key, passedOn ? undefined : error);
      if (passedOn) throw error;
      const { code, message } = errorData(error);
      meters.failed(world, code);
      onEvent({ kind: "failed", job: key, task, code, message });
      if (await standing.failed(key)) pause.begin("set-aside", error);
      // What a person reads of a parked job.
      throw EngineError.from({ code, message: `${code}: ${message}` }, error);
    }
  };
  const connections: Redis[] = [];
  const workers = await Promise.all(
    Object.entries(offered).map(async ([world, concurrency]): Promise<Worker> => {
      const own = redis.duplicate();
      // A lost connection is told by `onChange` and waited for; without a listener it would end the process.
      own.on("error", () => undefined);
      connections.push(own);
      const worker = new Queued(queueName(world, line), work, {
        connection: own,
        prefix: PREFIX,
        name,
        concurrency,
        lockDuration: leaseMs,
        stalledInterval: leaseMs,
        maxStalledCount: options.deaths ?? 5,
        removeOnComplete: { age: DAY_S },
        removeOnFail: { age: 7 * DAY_S },
        metrics: { maxDataPoints: 60 },
        runRetryDelay: 500,
      });
      // A lost lock, a lost connection: the lease decides, not this worker.
      worker.on("error", () => undefined);
      return worker;
    }),
  );
  heartbeat.start();
  return {
    name,
    report: heartbeat.report,
    close: async () => {
      heartbeat.draining();
      pause.close();
      await Promise.all(workers.map((worker) => worker.close()));
      stop.abort();
      await agents.close();
      await givers.close();
      await heartbeat.close();
      meters.close();
      for (const connection of [...connections, redis]) connection.disconnect();
    },
  };
}
