/** Queues and the connection to them, optional packages. */
import type * as Bullmq from "bullmq";
import type * as Ioredis from "ioredis";
import { optionalPart } from "limbeck-base/base/optional-part";
import { PREFIX, QUEUES_KEY } from "./keys.ts";
import type { RedisConnection } from "./redis-connection.ts";

export async function loadBullmq(): Promise<typeof Bullmq> {
  return await optionalPart("fleet", () => import("bullmq"));
}

export async function loadIoredis(): Promise<typeof Ioredis> {
  return await optionalPart("fleet", () => import("ioredis"));
}

/** A connection that `connectRedis` made, with all that its class can do. */
export function redisOf(connection: RedisConnection): Ioredis.Redis {
  return connection as Ioredis.Redis;
}

/** A lost connection fails the call that waits for it; without a listener it would end the process. */
const ignoreErrors = (): void => undefined;

export async function openQueue(redis: Ioredis.Redis, name: string): Promise<Bullmq.Queue> {
  const { Queue } = await loadBullmq();
  return new Queue(name, { connection: redis, prefix: PREFIX }).on("error", ignoreErrors);
}

/** Works with a queue, which is closed afterwards. */
export async function withQueue<T>(
  redis: Ioredis.Redis,
  name: string,
  use: (queue: Bullmq.Queue) => Promise<T>,
): Promise<T> {
  const queue = await openQueue(redis, name);
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}

/** A queue of jobs, with a callback when one ends. */
export interface WatchedQueue {
  readonly redis: Ioredis.Redis;
  readonly queue: Bullmq.Queue;
  /** Closes the connection too. */
  readonly close: () => Promise<void>;
}

/** `ended` is called for every job that is done or given up, from now on. */
export async function watchQueue(
  connection: RedisConnection,
  name: string,
  ended: (job: string) => void,
): Promise<WatchedQueue> {
  const redis = redisOf(connection);
  const { QueueEvents } = await loadBullmq();
  const events = redis.duplicate().on("error", ignoreErrors);
  const queue = await openQueue(redis, name);
  // By the server's clock: no event that comes before the first read is missed.
  const [seconds, microseconds] = await redis.time();
  const lastEventId = `${Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)}-0`;
  const listener = new QueueEvents(name, { connection: events, prefix: PREFIX, lastEventId });
  listener.on("error", ignoreErrors);
  listener.on("completed", ({ jobId }) => ended(jobId));
  listener.on("failed", ({ jobId }) => ended(jobId));
  await redis.sadd(QUEUES_KEY, name);
  return {
    redis,
    queue,
    close: async () => {
      // The work is done or has failed with an error of its own; a connection that does not close adds nothing to it.
      await listener.close().catch(() => undefined);
      await queue.close().catch(() => undefined);
      for (const one of [events, redis]) one.disconnect();
    },
  };
}
