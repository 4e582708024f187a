/** The connection to Redis. It comes back by itself; only the first attempt may fail. */
import { EngineError } from "limbeck-base/base/errors";
import { loadIoredis, type redisOf } from "./queues.ts";
import type { RedisConnection } from "./redis-connection.ts";

export interface ConnectOptions {
  /** How long the first connection may take. Default: 10 seconds. */
  readonly connectMs?: number;
  /** Called when the connection is lost, and when it is back. */
  readonly onChange?: (connected: boolean) => void;
}

const LONGEST_WAIT_MS = 2_000;

/** The connection that the other functions take; the caller disconnects it. */
export async function connectRedis(url: string, options: ConnectOptions = {}): Promise<RedisConnection> {
  const shown = withoutPassword(url);
  const { Redis } = await loadIoredis();
  const redis = new Redis(url, {
    lazyConnect: true,
    // Commands wait for the connection to come back; a queue must not lose commands.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(100 * times, LONGEST_WAIT_MS),
  });
  let last: unknown;
  redis.on("error", (error) => (last = error));
  await ready(redis, shown, options.connectMs ?? 10_000, () => last);
  let connected = true;
  const change = (now: boolean): void => {
    if (now !== connected) options.onChange?.(now);
    connected = now;
  };
  // Not "close", which comes at the end of ordinary work too.
  redis.on("reconnecting", () => change(false));
  redis.on("ready", () => change(true));
  return redis;
}

type Connecting = ReturnType<typeof redisOf>;

async function ready(redis: Connecting, shown: string, limitMs: number, last: () => unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(last() ?? new Error("no answer")), limitMs);
  });
  try {
    // The first refusal does not count: the server may just be starting.
    const connected = redis.status === "wait" ? redis.connect().catch(() => becomesReady(redis)) : becomesReady(redis);
    await Promise.race([connected, late]);
  } catch (cause) {
    redis.disconnect();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError(
      "redis-unreachable",
      `No Redis server answers at ${shown} (${why}). Start one (redis-server), or give another --redis URL.`,
      { details: { url: shown }, cause },
    );
  } finally {
    clearTimeout(timer);
  }
}

function becomesReady(redis: Connecting): Promise<void> {
  return new Promise((resolve) => {
    if (redis.status === "ready") return resolve();
    redis.once("ready", () => resolve());
  });
}

/** For messages and lists of processes. */
export function withoutPassword(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (cause) {
    throw new EngineError("bad-option", `"${url}" is not the address of a Redis server; redis://HOST:6379 is one.`, {
      cause,
    });
  }
  if (parsed.protocol !== "redis:" && parsed.protocol !== "rediss:") {
    throw new EngineError(
      "bad-option",
      `A Redis address begins with redis:// or rediss:// (encrypted), not ${parsed.protocol}//.`,
    );
  }
  if (parsed.password !== "") parsed.password = "…";
  return decodeURI(parsed.href);
}
