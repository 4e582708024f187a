/**
 * A worker of the fleet: takes jobs, plays them, delivers the episodes. It can die at any moment: the job goes to another
 * worker when its lease ends, and whatever is done twice is stored once.
 */
import { checkOptions, may } from "limbeck-base/base/options";
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Job, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { EngineError, errorData } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { Recent } from "limbeck-base/base/recent";
import { bundledModel, bundledNames } from "limbeck-policy/policy/local/bundled-model";
import { type Agents, createAgents } from "./agents.ts";
import { connectRedis } from "./connection.ts";
import { deliver, RESULT_SECONDS } from "./deliver.ts";
import type { WorkerReport } from "./fleet-report.ts";
import {
  createHeartbeat,
  createPause,
  createStanding,
  type Heartbeat,
  type Pause,
  type Paused,
  type Standing,
} from "./heartbeat.ts";
import { type JobCounts, type JobSummary, parseJob } from "./job.ts";
import { packEpisodes, unpackEpisodes } from "./packed-episodes.ts";
import { inputKey, PREFIX, queueName, resultKey, untrustedKey } from "./keys.ts";
import { loadBullmq, redisOf } from "./queues.ts";
import { openMeters, type Meters } from "./meters.ts";
import { createWorlds, playJob, type Worlds } from "./play-job.ts";
import { createPolicyCache } from "./policy-cache.ts";
import { type Line, OWN_LINE } from "./protocol.ts";
import { createIdentity, untrustedError, type Identity } from "./trust.ts";
import { parseRewardJob, type RewardJob, REWARDS } from "./reward-on-fleet.ts";
import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { type AwayRewards, openAwayRewards } from "limbeck-training/training/away-rewards";
import { REWARDED } from "limbeck-training/training/run-rewards";
import { isSeen } from "limbeck-base/trajectory/tally";

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
  /** The protocol line that it announces, for tests. Default: its own. */
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
  /** Something that it is to use does not work now, and may later. */
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
/** Finished jobs that are not fetched go after a day, parked ones after a week. */
const DAY_S = 24 * 60 * 60;

/** Takes jobs of these worlds until it is closed. */
export async function startWorker(options: WorkerOptions): Promise<FleetWorker> {
  checkOptions("startWorker", options, WORKER_CHECKS);
  for (const world of Object.keys(options.worlds)) {
    checkOptions("startWorker", options.worlds, { [world]: may.count }, "worlds");
  }
  const { onEvent = () => undefined } = options;
  await checkStart(options, (message) => onEvent({ kind: "problem", message }));
  const onChange = (connected: boolean): void => onEvent({ kind: "connection", connected });
  const redis = redisOf(await connectRedis(options.redis, { onChange }));
  const worker = new JobWorker({ ...options, onEvent }, redis, await loadBullmq(), await openMeters());
  worker.start();
  return worker;
}

type Bullmq = Awaited<ReturnType<typeof loadBullmq>>;

type HeardOptions = WorkerOptions & Required<Pick<WorkerOptions, "onEvent">>;

class JobWorker implements FleetWorker {
  readonly name: string;
  readonly report: () => WorkerReport;
  readonly #options: HeardOptions;
  readonly #redis: Redis;
  readonly #bullmq: Bullmq;
  readonly #meters: Meters;
  readonly #line: Line;
  readonly #leaseMs: number;
  readonly #now: () => number;
  readonly #stop = new AbortController();
  /** How many jobs of each queue at the same time. */
  readonly #offered: Readonly<Record<string, number>>;
  readonly #identity: Identity;
  readonly #agents: Agents;
  readonly #givers: RewardGivers;
  readonly #worlds: Worlds;
  readonly #heartbeat: Heartbeat;
  readonly #pause: Pause;
  readonly #standing: Standing;
  readonly #connections: Redis[] = [];
  #workers: readonly Worker[] = [];

  constructor(options: HeardOptions, redis: Redis, bullmq: Bullmq, meters: Meters) {
    const { now = () => performance.now(), leaseMs = 30_000, cache: dir, threads, env = {}, rewards } = options;
    const name = options.name ?? `${hostname()}-${process.pid}-${randomBytes(2).toString("hex")}`;
    const line = { protocol: options.protocol ?? OWN_LINE.protocol, engine: options.engine ?? OWN_LINE.engine };
    const cache = createPolicyCache({ dir, own: bundledNames.map(bundledModel), signal: this.#stop.signal });
    this.name = name;
    this.#identity = createIdentity(name);
    this.#options = options;
    this.#redis = redis;
    this.#bullmq = bullmq;
    this.#meters = meters;
    this.#line = line;
    this.#leaseMs = leaseMs;
    this.#now = now;
    this.#offered = { ...options.worlds, ...(rewards === undefined ? {} : { [REWARDS]: rewards }) };
    this.#agents = options.agents ?? createAgents({ cache, env, ...withoutUndefined({ threads }) });
    this.#givers = createRewardGivers(redis, name, env);
    this.#worlds = createWorlds({ allowCommands: options.allowCommands ?? false });
    this.#heartbeat = createHeartbeat(redis, {
      name,
      key: this.#identity.key,
      line,
      worlds: this.#offered,
      now,
      leaseMs,
    });
    this.#pause = createPause(() => this.#workers, this.#heartbeat.paused, options.onEvent);
    this.#standing = createStanding(redis, { name, line, failures: options.failures ?? 3 });
    this.report = this.#heartbeat.report;
  }

  start(): void {
    this.#workers = Object.entries(this.#offered).map(([world, concurrency]) => this.#listen(world, concurrency));
    this.#heartbeat.start();
  }

  #listen(world: string, concurrency: number): Worker {
    const connection = this.#redis.duplicate();
    // A lost connection calls `onChange` and is waited for; without a listener it would end the process.
    connection.on("error", () => undefined);
    this.#connections.push(connection);
    const worker = new this.#bullmq.Worker(queueName(world, this.#line), (job, token) => this.#work(job, token), {
      connection,
      prefix: PREFIX,
      name: this.name,
      concurrency,
      lockDuration: this.#leaseMs,
      stalledInterval: this.#leaseMs,
      maxStalledCount: this.#options.deaths ?? 5,
      removeOnComplete: { age: DAY_S },
      removeOnFail: { age: 7 * DAY_S },
      metrics: { maxDataPoints: 60 },
      runRetryDelay: 500,
    });
    // A lost lock, a lost connection: the lease decides, not this worker.
    return worker.on("error", () => undefined);
  }

  async #work(queued: Job, token: string | undefined): Promise<JobSummary> {
    const started = this.#now();
    const key = queued.id ?? "";
    const about = { task: "", world: "" };
    this.#heartbeat.took(key);
    try {
      const summary = { ...(await this.#play(queued, token, about)), worker: this.name };
      this.#pause.end();
      this.#standing.finished();
      const ms = this.#now() - started;
      this.#heartbeat.finished(key, summary, ms);
      this.#meters.finished(about.world, summary, ms);
      this.#options.onEvent({ kind: "done", job: key, task: about.task, summary, ms });
      return summary;
    } catch (error) {
      const { WaitingError, DelayedError } = this.#bullmq;
      const passedOn = error instanceof WaitingError || error instanceof DelayedError;
      this.#heartbeat.lost(key, passedOn ? undefined : error);
      if (passedOn) throw error;
      const { code, message } = errorData(error);
      this.#meters.failed(about.world, code);
      this.#options.onEvent({ kind: "failed", job: key, task: about.task, code, message });
      if (await this.#standing.failed(key)) this.#pause.begin("set-aside", error);
      // What a person reads of a parked job.
      throw EngineError.from({ code, message: `${code}: ${message}` }, error);
    }
  }

  /** Fills in what the job is about as soon as it is known. */
  async #play(queued: Job, token: string | undefined, about: { task: string; world: string }): Promise<JobCounts> {
    const { DelayedError } = this.#bullmq;
    const key = queued.id ?? "";
    const { signal } = this.#stop;
    const doubt = await this.#redis.get(untrustedKey(this.name));
    if (doubt !== null) return await this.#giveBack(queued, token, "set-aside", untrustedError(this.name, doubt));
    const reward = queued.name === REWARDS ? parseRewardJob(queued.data, this.#line) : undefined;
    const job = reward === undefined ? parseJob(queued.data, this.#line) : undefined;
    Object.assign(about, { task: (reward ?? job)?.task.id ?? "", world: job?.env.id ?? REWARDS });
    if (queued.attemptsMade > 0 && (await this.#standing.leavesToOthers(key, about.world))) {
      await queued.moveToDelayed(Date.now() + PASSED_ON_MS, token);
      throw new DelayedError();
    }
    this.#options.onEvent({ kind: "taken", job: key, task: about.task, attempt: queued.attemptsMade + 1 });
    if (job === undefined) return await this.#givers.give(reward as RewardJob, signal);
    const { trajectories, summary } = await playJob(job, this.#worlds, this.#agents, signal);
    const to = { redis: this.#redis, store: this.#options.store, identity: this.#identity };
    try {
      await deliver(job, trajectories, to);
      return summary;
    } catch (error) {
      return await this.#giveBack(queued, token, "blocked", error);
    }
  }

  /** Not the job's fault: it goes back without losing an attempt, and this worker waits before it takes another. */
  async #giveBack(queued: Job, token: string | undefined, why: Paused["state"], error: unknown): Promise<never> {
    this.#pause.begin(why, error);
    await queued.moveToWait(token);
    throw new this.#bullmq.WaitingError();
  }

  async close(): Promise<void> {
    this.#heartbeat.draining();
    this.#pause.close();
    await Promise.all(this.#workers.map((worker) => worker.close()));
    this.#stop.abort();
    await this.#agents.close();
    await this.#givers.close();
    await this.#heartbeat.close();
    this.#meters.close();
    for (const connection of [...this.#connections, this.#redis]) connection.disconnect();
  }
}

// What a worker is to use is tried before it takes a job: a wrong key or folder would cost every job an attempt.

interface StartOptions {
  readonly cache: string;
  readonly store?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Faults that only a person can mend are thrown; a server that is not there yet is a notice. */
async function checkStart(options: StartOptions, onProblem: (message: string) => void): Promise<void> {
  const { cache, env = {} } = options;
  await writable(cache);
  if (env["LIMBECK_CHAT_BASE_URL"] !== undefined || env["LIMBECK_CHAT_MODEL"] !== undefined) {
    const { chatServerFrom } = await import("limbeck-policy/policy/chat/server");
    chatServerFrom(env);
  }
  const url = env["TINKER_BASE_URL"];
  if (url === undefined || url === "") return;
  const { connectTinker } = await import("limbeck-policy/policy/tinker/client");
  const apiKey = env["TINKER_API_KEY"];
  try {
    (await connectTinker({ url, ...(apiKey === undefined ? {} : { apiKey }) })).close();
  } catch (error) {
    const { code, message } = errorData(error);
    if (code === "trainer-unreachable" || code === "trainer-failed") onProblem(message);
    else throw error;
  }
}

async function writable(cache: string): Promise<void> {
  try {
    await mkdir(cache, { recursive: true });
    await access(cache, constants.W_OK);
    if (!(await stat(cache)).isDirectory()) throw new Error("not a folder");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError(
      "not-writable",
      `The worker cannot keep versions of policies in ${cache} (${why}). Give another --cache DIR.`,
      { details: { cache }, cause },
    );
  }
}

// One reward job on this worker: the episodes of a task, rewarded by the plan of the job and by what this worker has.

interface RewardGivers {
  give(job: RewardJob, signal: AbortSignal): Promise<JobCounts>;
  close(): Promise<void>;
}

/** Scorers and judges are opened once for each plan. */
function createRewardGivers(
  redis: Redis,
  worker: string,
  environment: Readonly<Record<string, string | undefined>>,
): RewardGivers {
  const known = new Recent<AwayRewards>();
  const giverOf = (plan: RewardJob["plan"]): Promise<AwayRewards> =>
    known.get(JSON.stringify(plan), () => openAwayRewards(plan, environment));
  return {
    give: async (job, signal) => {
      const { key, plan, update, seed } = job;
      const bytes = await redis.getBuffer(inputKey(key));
      if (bytes === null) {
        throw new EngineError("bad-job", `The episodes of job ${key} are gone: whoever asked has given it up.`);
      }
      const episodes = await unpackEpisodes(bytes, key);
      const given = await (await giverOf(plan)).give(episodes, { update, seed, signal });
      const marked = given.map((one) => ({ ...one, info: { ...one.info, [REWARDED]: worker } }));
      await redis.set(resultKey(key), await packEpisodes(marked), "EX", RESULT_SECONDS);
      const counts = { trajectories: given.length, episodes: 0, failed: 0, succeeded: 0, steps: 0, sampledTokens: 0 };
      return { ...counts, judged: given.filter(isSeen).length };
    },
    close: async () => {
      for (const giver of await known.values()) await giver.close();
    },
  };
}
