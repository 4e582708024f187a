/** The queue and its connection, optional packages. */
import type * as Bullmq from "bullmq";
import type * as Ioredis from "ioredis";
import { optionalPart } from "../base/optional-part.ts";
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
