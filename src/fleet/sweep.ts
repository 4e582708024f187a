/**
 * What became of many jobs, in a few commands for each thousand: events can be missed while a connection is gone, and asking
 * for every job by itself would be most of what Redis does.
 */
import type { Queue } from "bullmq";
import type { Redis } from "ioredis";

export interface Swept {
  /** Done or given up. */
  readonly ended: readonly string[];
  /** Redis came back without its memory, or someone emptied the queue. */
  readonly missing: readonly string[];
  /** They wait for another attempt. */
  readonly delayed: ReadonlySet<string>;
}

const AT_ONCE = 1_000;

export async function sweep(redis: Redis, queue: Queue, keys: readonly string[]): Promise<Swept> {
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
