/**
 * Rewards of a training by workers of the fleet. Each task is a job of its own, begun as soon as its episodes are there. What no worker
 * gives in time, or fails at, stays without: the training then computes it itself, with the same result.
 */
import { EngineError, errorData, throwIfAborted } from "../base/index.ts";
import { requireAwayRewards } from "../training/away-rewards.ts";
import type { JsonObject, Trajectory } from "../trajectory/index.ts";
import { connectRedis } from "./connection.ts";
import { receive } from "./deliver.ts";
import { readWorkers } from "./fleet-state.ts";
import { failedAtKey, inputKey, PREFIX, queueName, QUEUES_KEY, resultKey } from "./keys.ts";
import { loadBullmq, redisOf } from "./queues.ts";
import { keyedRewardJob, packEpisodes, REWARDS } from "./reward-job.ts";

export interface FleetRewardsOptions {
  readonly redis: string;
  readonly run: string;
  /** The plan of rewards as the run keeps it. */
  readonly plan: JsonObject | string | undefined;
  readonly seed: string;
  /** Attempts at a job, the first included. Default: 3. */
  readonly jobAttempts?: number;
  /** How often it is looked whether something was missed. Default: 1 second. */
  readonly lookMs?: number;
  readonly onNotice: (message: string) => void;
}

export interface FleetRewards {
  /** The episodes of a task with their rewards, or as they were where no worker could give any. */
  give(episodes: readonly Trajectory[], update: number, signal: AbortSignal): Promise<readonly Trajectory[]>;
  close(): Promise<void>;
}

/** Episodes that nobody fetches are gone after a day. */
const INPUT_SECONDS = 24 * 60 * 60;

export async function openFleetRewards(options: FleetRewardsOptions): Promise<FleetRewards> {
  const { run, seed, onNotice, lookMs = 1_000, jobAttempts = 3 } = options;
  const plan = requireAwayRewards(options.plan);
  const redis = redisOf(await connectRedis(options.redis, {}));
  const events = redis.duplicate();
  // A lost connection is waited for; without a listener it would end the process.
  events.on("error", () => undefined);
  const { Queue, QueueEvents } = await loadBullmq();
  const queue = new Queue(queueName(REWARDS), { connection: redis, prefix: PREFIX });
  const listener = new QueueEvents(queueName(REWARDS), { connection: events, prefix: PREFIX });
  // As above.
  queue.on("error", () => undefined);
  listener.on("error", () => undefined);
  listener.setMaxListeners(0);
  await redis.sadd(QUEUES_KEY, queueName(REWARDS));
  await listener.waitUntilReady();
  const woken = new Map<string, () => void>();
  const wake = ({ jobId }: { readonly jobId: string }): void => woken.get(jobId)?.();
  listener.on("completed", wake);
  listener.on("failed", wake);
  let told = false;
  const say = (why: string): void => {
    if (!told) onNotice(`Rewards are computed here: ${why}`);
    told = true;
  };

  const offered = async (): Promise<boolean> =>
    (await readWorkers(redis)).some(({ worlds }) => Object.hasOwn(worlds, REWARDS));

  /** Until the job has ended; the event may be missed, so that it is also looked at from time to time. */
  const ended = async (key: string, signal: AbortSignal): Promise<"completed" | "failed"> => {
    for (;;) {
      throwIfAborted(signal);
      const state = await queue.getJobState(key);
      if (state === "completed" || state === "failed") return state;
      if (state === "unknown" || (state === "waiting" && !(await offered()))) return "failed";
      const looked = new AbortController();
      await new Promise<void>((resolve) => {
        woken.set(key, resolve);
        const timer = setTimeout(resolve, lookMs);
        looked.signal.addEventListener("abort", () => clearTimeout(timer));
        // Taken off again after each look: a job may be waited for through many.
        signal.addEventListener("abort", () => resolve(), { signal: looked.signal });
      });
      looked.abort();
      woken.delete(key);
    }
  };

  const asked = async (
    episodes: readonly Trajectory[],
    update: number,
    signal: AbortSignal,
  ): Promise<readonly Trajectory[]> => {
    const packed = await packEpisodes(episodes);
    const task = episodes[0]?.task.id ?? "";
    const job = keyedRewardJob({ run, task, plan, update, seed }, packed);
    const { key } = job;
    try {
      await redis.set(inputKey(key), packed, "EX", INPUT_SECONDS);
      const backoff = { type: "exponential", delay: 500 };
      await queue.add(REWARDS, job, { jobId: key, attempts: jobAttempts, backoff });
      const state = await ended(key, signal);
      const found = state === "completed" ? await receive(redis, key) : undefined;
      if (found !== undefined) return found;
      const failed = await queue.getJob(key);
      throw new EngineError("jobs-parked", failed?.failedReason ?? "no worker offers rewards any more.");
    } finally {
      // Left-overs run out by themselves after a day.
      await queue.remove(key).catch(() => undefined);
      await redis.del(inputKey(key), resultKey(key), failedAtKey(key)).catch(() => undefined);
    }
  };
  return {
    give: async (episodes, update, signal) => {
      if (episodes.length === 0) return episodes;
      try {
        if (await offered()) return await asked(episodes, update, signal);
        say("no worker offers them. Start one with limbeck worker --rewards N.");
      } catch (error) {
        throwIfAborted(signal);
        say(errorData(error).message);
      }
      return episodes;
    },
    close: async () => {
      // The work is done or has failed with an error of its own; a connection that does not close adds nothing to it.
      await listener.close().catch(() => undefined);
      await queue.close().catch(() => undefined);
      for (const connection of [events, redis]) connection.disconnect();
    },
  };
}
