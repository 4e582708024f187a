/**
 * Whether it is the worker or the job. One that fails several different jobs one after the other is taken to be at fault
 * itself, and a job that failed here goes first to workers where it has not.
 */
import { readWorkers } from "./fleet-state.ts";
import { failedAtKey } from "./keys.ts";
import { isSameLine, type Line } from "./protocol.ts";
import { redisOf } from "./queues.ts";
import type { RedisConnection } from "./redis-connection.ts";

export interface Standing {
  /** Notes that the job failed here; whether this worker should be set aside now. */
  failed(job: string): Promise<boolean>;
  finished(): void;
  /** The job failed here, and there is somebody in good standing who has not tried it. */
  leavesToOthers(job: string, world: string): Promise<boolean>;
}

export interface StandingOptions {
  readonly name: string;
  readonly line: Line;
  readonly failures: number;
}

const DAY_S = 24 * 60 * 60;
const GOOD = new Set(["working", "idle"]);

export function createStanding(connection: RedisConnection, { name, line, failures }: StandingOptions): Standing {
  const redis = redisOf(connection);
  const inARow = new Set<string>();
  return {
    failed: async (job) => {
      inARow.add(job);
      if (redis.status === "ready") {
        const key = failedAtKey(job);
        await redis
          .multi()
          .sadd(key, name)
          .expire(key, DAY_S)
          .exec()
          // Without this note the job may come back here once more; nothing is lost.
          .catch(() => undefined);
      }
      return inARow.size >= failures;
    },
    finished: () => inARow.clear(),
    leavesToOthers: async (job, world) => {
      const tried = new Set(await redis.smembers(failedAtKey(job)));
      if (!tried.has(name)) return false;
      const workers = await readWorkers(redis);
      return workers.some(
        (other) =>
          !tried.has(other.name) &&
          GOOD.has(other.state) &&
          Object.hasOwn(other.worlds, world) &&
          isSameLine(other, line),
      );
    },
  };
}
