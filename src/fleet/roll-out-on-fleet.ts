/**
 * A rollout whose episodes are played by workers. Each task is a job; equal jobs have equal keys, so that asking again
 * after a crash finds what is done. What Redis forgets is asked for again, and what is done twice is stored once.
 */
import { checkOptions } from "../base/options.ts";
import { FLEET_CHECKS } from "./fleet-checks.ts";
import type { Job, Queue } from "bullmq";
import type { Redis } from "ioredis";
import { mapLimit, throwIfAborted } from "../base/index.ts";
import type { Task, Trajectory } from "../trajectory/index.ts";
import { connectRedis } from "./connection.ts";
import { receive } from "./deliver.ts";
import { readWorkers } from "./fleet-state.ts";
import { keyedJob, SummarySchema, type JobSummary, type RolloutJob, type UnkeyedJob } from "./job.ts";
import { failedAtKey, PREFIX, queueName, QUEUES_KEY, resultKey } from "./keys.ts";
import { loadBullmq, redisOf } from "./queues.ts";
import type { Parked } from "./parked.ts";
import { stateless } from "./play-job.ts";
import { sweep } from "./sweep.ts";
import { createWatch, type Watch } from "./watch.ts";

export interface FleetRequest extends Omit<UnkeyedJob, "task"> {
  readonly redis: string;
  readonly tasks: readonly Task[];
  /** Attempts at a job, the first included. Default: 3. */
  readonly jobAttempts?: number;
  /** Before the second attempt; it doubles with each. Default: 1 second. */
  readonly backOffMs?: number;
  /** Most of its jobs in the queue at once; the others follow as these are done. Default: 10,000. */
  readonly queueLimit?: number;
  /** How often it is looked whether something was missed. Default: 2 seconds. */
  readonly lookMs?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: FleetProgress) => void;
  /** Where episodes come back: takes those of one job, before anybody forgets them. They are not collected then. */
  readonly onEpisodes?: (episodes: readonly Trajectory[], job: string) => Promise<void>;
  /** Something a person should know: no workers, workers that cannot write, a connection that is gone. */
  readonly onNotice?: (message: string) => void;
}

export interface FleetProgress {
  readonly jobs: number;
  readonly done: number;
  readonly parked: number;
  readonly trajectories: number;
  readonly episodes: number;
  readonly failed: number;
  readonly succeeded: number;
  readonly judged: number;
  readonly steps: number;
  readonly sampledTokens: number;
}

export interface FleetResult extends FleetProgress {
  /** Where they were to come back: in the order of the tasks, a branch after its parent. */
  readonly collected: readonly Trajectory[];
  readonly givenUp: readonly Parked[];
}

const ADDED_AT_ONCE = 500;
const LOOKS_AT_ONCE = 16;
const QUEUE_LIMIT = 10_000;

/**
 * Plays the tasks on whoever takes them, and waits for the episodes.
 *
 * @example
 * import { tmpdir } from "node:os";
 * import { startWorker } from "limbeck/fleet";
 *
 * const redis = process.env["LIMBECK_REDIS"];
 * if (redis !== undefined) {
 *   const worker = await startWorker({ redis, worlds: { countdown: 1 }, cache: tmpdir() });
 *   const tasks = [];
 *   for await (const task of (await openEnv("countdown")).tasks("train", { count: 2 })) tasks.push(task);
 *   const { succeeded } = await rollOutOnFleet({
 *     redis,
 *     run: "example",
 *     env: { id: "countdown", options: {} },
 *     tasks,
 *     agent: { kind: "script", name: "expert" },
 *     strategy: { name: "group", options: { size: 1 } },
 *     seed: 1,
 *     prefix: "",
 *     peers: 0,
 *     episode: {},
 *     attempts: 1,
 *     concurrency: 4,
 *     deliver: { to: "caller" },
 *   });
 *   console.log(succeeded);
 *   await worker.close();
 * }
 */
export async function rollOutOnFleet(request: FleetRequest): Promise<FleetResult> {
  checkOptions("rollOutOnFleet", request, FLEET_CHECKS);
  const { signal, onNotice = () => undefined } = request;
  throwIfAborted(signal);
  stateless(request.strategy);
  const onChange = (connected: boolean): void =>
    onNotice(connected ? "Redis is back." : "Redis is gone; workers finish what they have, and the rollout waits.");
  const redis = redisOf(await connectRedis(request.redis, { onChange }));
  const events = redis.duplicate();
  // A lost connection is told by `onChange` and waited for; without a listener it would end the process.
  events.on("error", () => undefined);
  const { Queue, QueueEvents } = await loadBullmq();
  const name = queueName(request.env.id);
  const queue = new Queue(name, { connection: redis, prefix: PREFIX });
  queue.on("error", () => undefined); // As above.
  // Events from now on, by the server's clock: none of those that come before the first read is missed.
  const [seconds, microseconds] = await redis.time();
  const lastEventId = `${Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)}-0`;
  const listener = new QueueEvents(name, { connection: events, prefix: PREFIX, lastEventId });
  listener.on("error", () => undefined); // As above.
  const round = new Round(request, redis, queue);
  const watch = createWatch({
    everyMs: request.lookMs ?? 2_000,
    backOffMs: (request.backOffMs ?? 1_000) * 2 ** ((request.jobAttempts ?? 3) - 1),
    workers: () => readWorkers(redis),
    onNotice,
  });
  listener.on("completed", ({ jobId }) => watch.touch(jobId));
  listener.on("failed", ({ jobId }) => watch.touch(jobId));
  try {
    await redis.sadd(QUEUES_KEY, name);
    await round.fill();
    await round.finish(watch, signal);
    return round.result();
  } catch (error) {
    // The error that ended the rollout is told; jobs that cannot be taken back now find nobody to deliver to.
    await round.withdraw().catch(() => undefined);
    throw error;
  } finally {
    watch.close();
    // The work is done or has failed with an error of its own; a connection that does not close adds nothing to it.
    await listener.close().catch(() => undefined);
    await queue.close().catch(() => undefined);
    for (const connection of [events, redis]) connection.disconnect();
  }
}

/** The jobs of one rollout and what has become of them. */
class Round {
  readonly #request: FleetRequest;
  readonly #redis: Redis;
  readonly #queue: Queue;
  readonly #jobs: ReadonlyMap<string, RolloutJob>;
  readonly #keys: ReadonlyMap<Task, string>;
  /** Not in the queue yet. */
  readonly #ahead: string[];
  /** In the queue, and not known to have ended. */
  readonly #pending = new Set<string>();
  readonly #summaries: JobSummary[] = [];
  readonly #received = new Map<string, readonly Trajectory[]>();
  readonly #parked: Parked[] = [];

  constructor(request: FleetRequest, redis: Redis, queue: Queue) {
    this.#request = request;
    this.#redis = redis;
    this.#queue = queue;
    const { redis: _redis, tasks, jobAttempts: _jobs, backOffMs: _back, lookMs: _look, ...some } = request;
    const { queueLimit: _limit, ...rest } = some;
    const { signal: _signal, onProgress: _progress, onNotice: _notice, onEpisodes: _episodes, ...shared } = rest;
    const jobs = tasks.map((task) => [task, keyedJob({ ...shared, task: task as RolloutJob["task"] })] as const);
    this.#jobs = new Map(jobs.map(([, job]) => [job.key, job]));
    this.#keys = new Map(jobs.map(([task, job]) => [task, job.key]));
    this.#ahead = [...this.#jobs.keys()].toReversed();
  }

  keyOf(task: Task): string {
    return this.#keys.get(task) as string;
  }

  /** As many jobs as the queue may hold; a tenth at a time, not one by one. */
  async fill(): Promise<void> {
    const { queueLimit = QUEUE_LIMIT } = this.#request;
    const room = queueLimit - this.#pending.size;
    if (this.#ahead.length === 0 || room < Math.min(queueLimit / 10, this.#ahead.length)) return;
    const keys = this.#ahead.splice(-room).toReversed();
    for (const key of keys) this.#pending.add(key);
    await this.#add(keys);
  }

  /** A key that is queued already is left as it is. */
  async #add(keys: readonly string[]): Promise<void> {
    const { jobAttempts = 3, backOffMs = 1_000 } = this.#request;
    for (let from = 0; from < keys.length; from += ADDED_AT_ONCE) {
      await this.#queue.addBulk(
        keys.slice(from, from + ADDED_AT_ONCE).map((key) => ({
          name: "rollout",
          data: this.#jobs.get(key),
          opts: { jobId: key, attempts: jobAttempts, backoff: { type: "exponential", delay: backOffMs } },
        })),
      );
    }
  }

  async finish(watch: Watch, signal: AbortSignal | undefined): Promise<void> {
    this.#tell();
    while (this.#pending.size > 0) {
      throwIfAborted(signal);
      const { touched, all } = await watch.next(signal);
      throwIfAborted(signal);
      const ended = all ? await this.#sweep(watch) : [];
      const keys = new Set([...touched, ...ended].filter((key) => this.#pending.has(key)));
      await mapLimit([...keys], LOOKS_AT_ONCE, (key) => this.#look(key));
      await this.fill();
    }
  }

  /** Jobs of which an event may have been missed; those that are gone are asked for again. */
  async #sweep(watch: Watch): Promise<readonly string[]> {
    const keys = [...this.#pending];
    const { ended, missing, delayed } = await sweep(this.#redis, this.#queue, keys);
    await this.#add(missing);
    // A delay is a time of day; where clocks jump it may lie far ahead.
    for (const key of keys.filter((one) => watch.overdue(one, delayed.has(one)))) {
      const job = await this.#queue.getJob(key);
      // It may be at work by now, which is what was wanted.
      await job?.promote().catch(() => undefined);
    }
    return ended;
  }

  async #look(key: string): Promise<void> {
    // The state first: a job that was read before it was done would lack its result.
    const state = await this.#queue.getJobState(key);
    const job = (await this.#queue.getJob(key)) as Job | undefined;
    if (job === undefined) return await this.#add([key]);
    if (state === "completed") return await this.#done(key, job);
    if (state === "failed") this.#park(key, job);
  }

  async #done(key: string, job: Job): Promise<void> {
    if (this.#request.deliver.to === "caller") {
      const episodes = await receive(this.#redis, key);
      if (episodes === undefined) {
        // The result is gone; the job is done anew.
        await job.remove();
        return await this.#add([key]);
      }
      if (this.#request.onEpisodes === undefined) this.#received.set(key, episodes);
      else await this.#request.onEpisodes(episodes, key);
    }
    this.#pending.delete(key);
    this.#summaries.push(SummarySchema.parse(job.returnvalue));
    // Its result is here; a finished job runs out by itself.
    await job.remove().catch(() => undefined);
    await this.#redis.del(resultKey(key), failedAtKey(key));
    this.#tell();
  }

  #park(key: string, job: Job): void {
    const { task } = this.#jobs.get(key) as RolloutJob;
    const { attemptsMade: attempts, failedReason } = job;
    const died = /stalled more than allowable limit/.test(failedReason);
    const error = died
      ? `worker-died: every worker that took it died at it (${job.stalledCounter} in all).`
      : failedReason;
    this.#pending.delete(key);
    this.#parked.push({ task: task.id, job: key, attempts, error });
    this.#request.onNotice?.(`Task ${task.id} was given up after ${attempts} attempts: ${error}`);
    this.#tell();
  }

  /** Jobs that nobody has begun are taken back. */
  async withdraw(): Promise<void> {
    if (this.#redis.status !== "ready") return;
    // One that is at work cannot be removed; it finds nobody to deliver to.
    for (const key of this.#pending) await this.#queue.remove(key).catch(() => undefined);
  }

  #progress(): FleetProgress {
    const sum = (field: Exclude<keyof JobSummary, "worker">): number =>
      this.#summaries.reduce((total, summary) => total + summary[field], 0);
    return {
      jobs: this.#jobs.size,
      done: this.#summaries.length,
      parked: this.#parked.length,
      trajectories: sum("trajectories"),
      episodes: sum("episodes"),
      failed: sum("failed"),
      succeeded: sum("succeeded"),
      judged: sum("judged"),
      steps: sum("steps"),
      sampledTokens: sum("sampledTokens"),
    };
  }

  #tell(): void {
    this.#request.onProgress?.(this.#progress());
  }

  result(): FleetResult {
    const collected = this.#request.tasks.flatMap((task) => this.#received.get(this.keyOf(task)) ?? []);
    return { ...this.#progress(), collected, givenUp: this.#parked };
  }
}
