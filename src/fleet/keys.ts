/** Names in Redis. Everything stands below one prefix, so that the server can be shared. */

export const PREFIX = "limbeck";

/** One queue for each world, so that each has a concurrency of its own. */
export function queueName(env: string): string {
  return `rollout-${env}`;
}

/** The set of worlds that have a queue. */
export const WORLDS_KEY = `${PREFIX}:worlds`;

/** Episodes on their way to whoever asked for them. */
export function resultKey(job: string): string {
  return `${PREFIX}:result:${job}`;
}

/** What a worker says of itself; it fades when the worker falls silent. */
export function workerKey(name: string): string {
  return `${PREFIX}:worker:${name}`;
}

export const WORKER_KEYS = workerKey("*");
