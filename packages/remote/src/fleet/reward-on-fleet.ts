/** A job for a reward worker: the episodes of one task, to be rewarded by a plan. They lie beside it in Redis, packed. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { keyOf, understood } from "./job.ts";
import { packEpisodes, unpackEpisodes } from "./packed-episodes.ts";
import { type Line, OWN_LINE, PROTOCOL } from "./protocol.ts";
import { EngineError, errorData, throwIfAborted } from "limbeck-base/base/errors";
import { requireAwayRewards } from "limbeck-training/training/away-rewards";
import { connectRedis } from "./connection.ts";
import { receive, RESULT_SECONDS } from "./deliver.ts";
import { readWorkers } from "./fleet-state.ts";
import { failedAtKey, inputKey, queueName, resultKey } from "./keys.ts";
import { watchQueue } from "./queues.ts";

/** The name of the queue, in the place of a world's, and of its jobs. */
export const REWARDS = "rewards";

const name = z.string().min(1);

const RewardJobSchema = z.strictObject({
  protocol: z.literal(PROTOCOL),
  engine: name,
  key: name,
  run: name,
  /** As others see what a job is about. */
  task: z.strictObject({ id: name }),
  plan: z.record(z.string(), z.json()),
  update: z.int().nonnegative(),
  seed: z.string(),
});

export type RewardJob = z.output<typeof RewardJobSchema>;

/** Equal work has equal keys. `packed` are the episodes themselves. */
export function keyedRewardJob(
  job: Pick<RewardJob, "run" | "update" | "seed"> & { readonly task: string; readonly plan: JsonObject },
  packed: Buffer,
): RewardJob {
  const { run, task, plan, update, seed } = job;
  const content = createHash("sha256").update(packed).digest("hex");
  const key = `r${keyOf({ run, task, plan, update, seed, content })}`;
  const line = { protocol: PROTOCOL, engine: OWN_LINE.engine } as const;
  return { ...line, key, run, task: { id: task }, plan: plan as RewardJob["plan"], update, seed };
}

/** What stands in Redis is not to be trusted. */
export function parseRewardJob(value: unknown, line: Line = OWN_LINE): RewardJob {
  return understood(RewardJobSchema, value, line);
}

// Rewards of a training by workers of the fleet. Each task is a job of its own, begun as soon as its episodes are there. What no worker
// gives in time, or fails at, stays without: the training then computes it itself, with the same result.

interface FleetRewardsOptions {
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

export async function openFleetRewards(options: FleetRewardsOptions): Promise<FleetRewards> {
  const { run, seed, onNotice, lookMs = 1_000, jobAttempts = 3 } = options;
  const plan = requireAwayRewards(options.plan);
  const connection = await connectRedis(options.redis, {});
  const waiting = new Map<string, () => void>();
  const { redis, queue, close } = await watchQueue(connection, queueName(REWARDS), (job) => waiting.get(job)?.());
  let isNoticed = false;
  const notice = (why: string): void => {
    if (!isNoticed) onNotice(`Rewards are computed here: ${why}`);
    isNoticed = true;
  };

  const isOffered = async (): Promise<boolean> =>
    (await readWorkers(redis)).some(({ worlds }) => Object.hasOwn(worlds, REWARDS));

  /** Until the job has ended; the event may be missed, so that it is also looked at from time to time. */
  const jobEnd = async (key: string, signal: AbortSignal): Promise<"completed" | "failed"> => {
    for (;;) {
      throwIfAborted(signal);
      const state = await queue.getJobState(key);
      if (state === "completed" || state === "failed") return state;
      if (state === "unknown" || (state === "waiting" && !(await isOffered()))) return "failed";
      const looked = new AbortController();
      await new Promise<void>((resolve) => {
        waiting.set(key, resolve);
        const timer = setTimeout(resolve, lookMs);
        looked.signal.addEventListener("abort", () => clearTimeout(timer));
        // Taken off again after each look: a job may be waited for through many.
        signal.addEventListener("abort", () => resolve(), { signal: looked.signal });
      });
      looked.abort();
      waiting.delete(key);
    }
  };

  const rewardByJob = async (
    episodes: readonly Trajectory[],
    update: number,
    signal: AbortSignal,
  ): Promise<readonly Trajectory[]> => {
    const packed = await packEpisodes(episodes);
    const task = episodes[0]?.task.id ?? "";
    const job = keyedRewardJob({ run, task, plan, update, seed }, packed);
    const { key } = job;
    try {
      await redis.set(inputKey(key), packed, "EX", RESULT_SECONDS);
      const backoff = { type: "exponential", delay: 500 };
      await queue.add(REWARDS, job, { jobId: key, attempts: jobAttempts, backoff });
      const state = await jobEnd(key, signal);
      const found = state === "completed" ? await receive(redis, key) : undefined;
      if (found !== undefined) return await unpackEpisodes(found, key);
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
        if (await isOffered()) return await rewardByJob(episodes, update, signal);
        notice("no worker offers them. Start one with limbeck worker --rewards N.");
      } catch (error) {
        throwIfAborted(signal);
        notice(errorData(error).message);
      }
      return episodes;
    },
    close,
  };
}
