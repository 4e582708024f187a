/**
 * A rollout whose episodes are played by workers. Each task is a job; equal jobs have equal keys, so that asking again
 * after a crash finds what is done. What Redis forgets is asked for again, and what is done twice is stored once.
 */
import { checkOptions, may } from "limbeck-base/base/options";
import type { Job, Queue } from "bullmq";
import type { Redis } from "ioredis";
import { mapLimit } from "limbeck-base/base/concurrency";
import { throwIfAborted, EngineError } from "limbeck-base/base/errors";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { connectRedis } from "./connection.ts";
import { receive } from "./deliver.ts";
import { readWorkers } from "./fleet-state.ts";
import {
  JOB_COUNTS,
  type JobCounts,
  type JobSummary,
  keyedJob,
  type RolloutJob,
  SummarySchema,
  type UnkeyedJob,
} from "./job.ts";
import { createDoubts, type Doubts } from "./doubts.ts";
import { failedAtKey, queueName, resultKey, untrustedKey } from "./keys.ts";
import { watchQueue } from "./queues.ts";
import type { Parked } from "./parked.ts";
import { statelessStrategy } from "./play-job.ts";
import type { WorkerReport } from "./fleet-report.ts";
import { isSameLine, OWN_LINE, sayLine } from "./protocol.ts";
import { unpackEpisodes } from "./packed-episodes.ts";
import { readSigned, untrustedError } from "./trust.ts";

export interface FleetRequest extends Omit<UnkeyedJob, "task"> {
  readonly redis: string;
  readonly tasks: readonly Task[];
  /** Attempts at a job, the first included. Default: 3. */
  readonly jobAttempts?: number;
  /** Before the second attempt; it doubles with each. Default: 1 second. */
  readonly backOffMs?: number;
  /** Most of its jobs in the queue at once; the others follow as these are done. Default: 10,000. */
  readonly queueLimit?: number;
  /** Share of the jobs that come back here whose actions are played again in a world of one's own. Default: 0.05. */
  readonly replay?: number;
  /** How often it is looked whether something was missed. Default: 2 seconds. */
  readonly lookMs?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: FleetProgress) => void;
  /** Gets the episodes of each job as they come back, of one job at a time; they are not collected then. */
  readonly onEpisodes?: (episodes: readonly Trajectory[], job: string) => Promise<void>;
  /** Something a person should know: no workers, workers that cannot write, a connection that is gone. */
  readonly onNotice?: (message: string) => void;
}

export interface FleetProgress extends Readonly<JobCounts> {
  readonly jobs: number;
  readonly done: number;
  readonly parked: number;
}

export interface FleetResult extends FleetProgress {
  /** Where they were to come back: in the order of the tasks, a branch after its parent. */
  readonly collected: readonly Trajectory[];
  readonly givenUp: readonly Parked[];
}

const ADDED_AT_ONCE = 500;
const LOOKS_AT_ONCE = 16;
const QUEUE_LIMIT = 10_000;
const REPLAYED = 0.05;
const UNTRUSTED_SECONDS = 60 * 60;

/** Plays the tasks on the workers that take them, and waits for the episodes. */
export async function rollOutOnFleet(request: FleetRequest): Promise<FleetResult> {
  checkOptions("rollOutOnFleet", request, FLEET_CHECKS);
  const { signal, onNotice = () => undefined } = request;
  throwIfAborted(signal);
  statelessStrategy(request.strategy);
  const onChange = (connected: boolean): void =>
    onNotice(connected ? "Redis is back." : "Redis is gone; workers finish what they have, and the rollout waits.");
  const connection = await connectRedis(request.redis, { onChange });
  const watch = createWatch({
    everyMs: request.lookMs ?? 2_000,
    backOffMs: (request.backOffMs ?? 1_000) * 2 ** ((request.jobAttempts ?? 3) - 1),
    workers: () => readWorkers(connection),
    onNotice,
  });
  const watched = await watchQueue(connection, queueName(request.env.id), (job) => watch.touch(job)).catch(
    (error: unknown) => {
      watch.close();
      throw error;
    },
  );
  const round = new Round(request, watched.redis, watched.queue);
  try {
    await round.fill();
    await round.finish(watch, signal);
    return round.result();
  } catch (error) {
    // The error that ended the rollout is thrown; jobs that cannot be taken back now have nowhere to be delivered to.
    await round.withdraw().catch(() => undefined);
    throw error;
  } finally {
    watch.close();
    await watched.close();
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
  readonly #summaries = new Map<string, JobSummary>();
  readonly #received = new Map<string, readonly Trajectory[]>();
  readonly #parked: Parked[] = [];
  readonly #doubts: Doubts;
  readonly #distrusted = new Set<string>();
  /** How often results of a job were not believed. */
  readonly #refused = new Map<string, number>();
  #turn: Promise<void> = Promise.resolve();

  constructor(request: FleetRequest, redis: Redis, queue: Queue) {
    this.#request = request;
    this.#redis = redis;
    this.#queue = queue;
    const { replay = REPLAYED, onNotice = () => undefined } = request;
    this.#doubts = createDoubts({ workers: () => readWorkers(redis), share: replay, onNotice });
    const { redis: _redis, tasks, jobAttempts: _jobs, backOffMs: _back, lookMs: _look, ...some } = request;
    const { queueLimit: _limit, replay: _replay, ...rest } = some;
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
    this.#report();
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
    let summary = SummarySchema.parse(job.returnvalue);
    if (this.#request.deliver.to === "caller") {
      const value = await receive(this.#redis, key);
      const result = value === undefined ? undefined : readSigned(value);
      if (result === undefined) {
        // The result is gone; the job is done anew.
        await job.remove();
        return await this.#add([key]);
      }
      const episodes = await unpackEpisodes(result.bytes, key);
      const doubt = await this.#doubts.about(this.#jobs.get(key) as RolloutJob, result, episodes);
      if (doubt !== undefined) return await this.#refuse(key, job, result.worker, doubt);
      summary = { ...summary, worker: result.worker };
      await this.#hand(key, episodes);
    }
    this.#pending.delete(key);
    this.#summaries.set(key, summary);
    // Its result is here; a finished job runs out by itself.
    await job.remove().catch(() => undefined);
    await this.#redis.del(resultKey(key), failedAtKey(key));
    this.#report();
  }

  /** Played again by another worker, as is whatever this one sent before that nothing was made of yet. */
  async #refuse(key: string, job: Job, worker: string, doubt: string): Promise<void> {
    const attempts = (this.#refused.get(key) ?? 0) + 1;
    this.#refused.set(key, attempts);
    if (!this.#distrusted.has(worker)) this.#request.onNotice?.(untrustedError(worker, doubt).message);
    this.#distrusted.add(worker);
    await this.#redis.set(untrustedKey(worker), doubt, "EX", UNTRUSTED_SECONDS);
    await job.remove();
    await this.#redis.del(resultKey(key));
    const earlier = [...this.#summaries].filter(([one, by]) => by.worker === worker && this.#received.delete(one));
    for (const [one] of earlier) {
      this.#summaries.delete(one);
      this.#pending.add(one);
    }
    await this.#add(earlier.map(([one]) => one));
    if (attempts < (this.#request.jobAttempts ?? 3)) return await this.#add([key]);
    this.#giveUp(key, attempts, untrustedError(worker, doubt).message);
  }

  /** In turn: a caller that stores a job under its key must not find episodes of another one among them. */
  async #hand(key: string, episodes: readonly Trajectory[]): Promise<void> {
    const { onEpisodes } = this.#request;
    if (onEpisodes === undefined) return void this.#received.set(key, episodes);
    this.#turn = this.#turn.then(() => onEpisodes(episodes, key));
    await this.#turn;
  }

  #park(key: string, job: Job): void {
    const { attemptsMade: attempts, failedReason } = job;
    const died = /stalled more than allowable limit/.test(failedReason);
    const error = died
      ? `worker-died: every worker that took it died at it (${job.stalledCounter} in all).`
      : failedReason;
    this.#giveUp(key, attempts, error);
  }

  #giveUp(key: string, attempts: number, error: string): void {
    const { task } = this.#jobs.get(key) as RolloutJob;
    this.#pending.delete(key);
    this.#parked.push({ task: task.id, job: key, attempts, error });
    this.#request.onNotice?.(`Task ${task.id} was given up after ${attempts} attempts: ${error}`);
    this.#report();
  }

  /** Jobs that no worker has begun are taken back. */
  async withdraw(): Promise<void> {
    if (this.#redis.status !== "ready") return;
    // One that is at work cannot be removed; its result runs out.
    for (const key of this.#pending) await this.#queue.remove(key).catch(() => undefined);
  }

  #progress(): FleetProgress {
    const sums = JOB_COUNTS.map(
      (field) => [field, [...this.#summaries.values()].reduce((sum, one) => sum + one[field], 0)] as const,
    );
    return {
      jobs: this.#jobs.size,
      done: this.#summaries.size,
      parked: this.#parked.length,
      ...(Object.fromEntries(sums) as Record<(typeof JOB_COUNTS)[number], number>),
    };
  }

  #report(): void {
    this.#request.onProgress?.(this.#progress());
  }

  result(): FleetResult {
    const collected = this.#request.tasks.flatMap((task) => this.#received.get(this.keyOf(task)) ?? []);
    return { ...this.#progress(), collected, givenUp: this.#parked };
  }
}

// What a rollout on a fleet demands of the numbers of its request.

export const FLEET_CHECKS = {
  seed: may.seed,
  peers: may.whole,
  attempts: may.count,
  concurrency: may.count,
  jobAttempts: may.count,
  backOffMs: may.amount,
  queueLimit: may.count,
  lookMs: may.positive,
  replay: may.share,
} as const;

// What became of many jobs, in a few commands for each thousand: events can be missed while a connection is gone, and asking
// for every job by itself would be most of what Redis does.

interface Swept {
  /** Done or given up. */
  readonly ended: readonly string[];
  /** Redis came back without its memory, or someone emptied the queue. */
  readonly missing: readonly string[];
  /** They wait for another attempt. */
  readonly delayed: ReadonlySet<string>;
}

const AT_ONCE = 1_000;

async function sweep(redis: Redis, queue: Queue, keys: readonly string[]): Promise<Swept> {
  const [ended, missing, delayed]: [string[], string[], Set<string>] = [[], [], new Set()];
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const some = keys.slice(from, from + AT_ONCE);
    const holding = async (state: string): Promise<string[]> => {
      const scores = await redis.zmscore(queue.toKey(state), some);
      return some.filter((_, at) => scores[at] !== null);
    };
    ended.push(...(await holding("completed")), ...(await holding("failed")));
    for (const key of await holding("delayed")) delayed.add(key);
    // After the others: one that ends in between is found at the next sweep, and is there.
    missing.push(...(await absent(redis, queue, some)));
  }
  return { ended, missing, delayed };
}

async function absent(redis: Redis, queue: Queue, keys: readonly string[]): Promise<readonly string[]> {
  const there = await redis.exists(keys.map((key) => queue.toKey(key)));
  if (there === keys.length) return [];
  if (there === 0) return keys;
  const answers = await redis.pipeline(keys.map((key) => ["exists", queue.toKey(key)])).exec();
  return keys.filter((_, at) => answers?.[at]?.[1] === 0);
}

// Knows when to look: at jobs of which an event came, and at all of them every few seconds, because events can be
// missed while a connection is gone. Time is the machine's own, so that a clock that jumps changes nothing.

interface Watch {
  /** Something happened to this job. */
  touch(key: string): void;
  /** Waits until there is something to look at. Fails where no worker is left that could do the work. */
  next(signal: AbortSignal | undefined): Promise<{ readonly touched: readonly string[]; readonly all: boolean }>;
  /** Whether a job has been waiting for its next attempt for longer than any back-off. */
  overdue(key: string, delayed: boolean): boolean;
  close(): void;
}

interface WatchOptions {
  readonly everyMs: number;
  /** The longest back-off. */
  readonly backOffMs: number;
  readonly workers: () => Promise<readonly WorkerReport[]>;
  readonly onNotice: (message: string) => void;
  readonly now?: () => number;
}

/** Rounds without a worker before there is a notice. */
const PATIENCE = 3;
/** Rounds in which every worker was set aside before the work is given up; they tried again several times meanwhile. */
const HOPELESS = 15;

/** No worker is there, or none of the same release. */
function nobody(present: readonly WorkerReport[]): string {
  if (present.length === 0) return "No worker is there. Start one: limbeck worker --redis URL.";
  const others = present.map((worker) => `${worker.name} speaks ${sayLine(worker)}`).join(", ");
  return `No worker is there that could take the jobs: ${others}; this is ${sayLine(OWN_LINE)}. Use the same release everywhere.`;
}

function stuck(workers: readonly WorkerReport[]): string {
  const [first] = workers;
  if (first === undefined || workers.some(({ state }) => state !== "blocked" && state !== "set-aside")) return "";
  if (first.state === "blocked") return `Every worker is blocked: ${first.problem ?? ""}`;
  return `Every worker is set aside, because it failed several jobs in a row: ${first.problem ?? ""}`;
}

export function createWatch(options: WatchOptions): Watch {
  const { everyMs, backOffMs, onNotice, now = () => performance.now() } = options;
  const touched = new Set<string>();
  const delayedSince = new Map<string, number>();
  let [due, alone, hopeless, noticed] = [false, 0, 0, ""];
  let lost: EngineError | undefined;
  let wake: (() => void) | undefined;
  const look = async (): Promise<void> => {
    due = true;
    wake?.();
    const present = await options.workers();
    const workers = present.filter((worker) => isSameLine(worker, OWN_LINE));
    alone = workers.length === 0 ? alone + 1 : 0;
    const asideAll = workers.length > 0 && workers.every(({ state }) => state === "set-aside");
    hopeless = asideAll ? hopeless + 1 : 0;
    const problem = alone >= PATIENCE ? nobody(present) : stuck(workers);
    if (problem !== "" && problem !== noticed) onNotice(problem);
    noticed = problem;
    if (hopeless < HOPELESS) return;
    lost = new EngineError("jobs-parked", `${problem} What was asked for is taken back; mend it and ask again.`);
    wake?.();
  };
  // While Redis is gone a look waits with it; the next ones must not queue up behind.
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      // The next look comes soon; a Redis that stays away is noticed by its connection.
      .catch(() => undefined)
      .finally(() => (looking = false));
  }, everyMs);
  return {
    touch: (key) => {
      touched.add(key);
      wake?.();
    },
    next: async (signal) => {
      if (touched.size === 0 && !due) {
        const stop = (): void => wake?.();
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal?.addEventListener("abort", stop, { once: true });
          if (signal?.aborted === true) resolve();
        });
        signal?.removeEventListener("abort", stop);
        wake = undefined;
      }
      if (lost !== undefined) throw lost;
      const seen = { touched: [...touched], all: due };
      touched.clear();
      due = false;
      return seen;
    },
    overdue: (key, delayed) => {
      if (!delayed) {
        delayedSince.delete(key);
        return false;
      }
      const since = delayedSince.get(key) ?? now();
      delayedSince.set(key, since);
      return now() - since > backOffMs + everyMs;
    },
    close: () => {
      clearInterval(timer);
      wake?.();
    },
  };
}
