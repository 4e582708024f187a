/** The fleet as it is: workers, queues, rates and what went wrong. */
import type { Queue } from "bullmq";
import { z } from "zod";
import { parseJson } from "limbeck-base/base/json";
import {
  WorkerReportSchema,
  type FleetState,
  type ParkedJob,
  type QueueState,
  type WorkerReport,
} from "./fleet-report.ts";
import { failedAtKey, queueName, QUEUES_KEY, readQueueName, workerKey, WORKERS_KEY, type NamedQueue } from "./keys.ts";
import { redisOf, withQueue } from "./queues.ts";
import type { RedisConnection } from "./redis-connection.ts";

const ShownJobSchema = z
  .object({ run: z.string().catch(""), task: z.object({ id: z.string() }).catch({ id: "" }) })
  .catch({ run: "", task: { id: "" } });

const SHOWN_PARKED = 20;
const MINUTES = 5;

/** Workers, queues and parked jobs, as they are now. */
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
 * import { connectRedis, readFleet } from "limbeck/serve";
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
 * import { connectRedis } from "limbeck/serve";
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
