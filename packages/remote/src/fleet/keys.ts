/** Names in Redis. Everything stands below one prefix, so that the server can be shared. */
import { OWN_LINE, releasesOf, type Line } from "./protocol.ts";

export const PREFIX = "limbeck";

/** One queue for each world, so that each has a concurrency of its own, and for each line of releases. */
export function queueName(env: string, line: Line = OWN_LINE): string {
  return `rollout-${line.protocol}-${releasesOf(line.engine)}-${env}`;
}

export interface NamedQueue {
  readonly world: string;
  readonly protocol: number;
  /** The releases whose workers take its jobs: "0.1". */
  readonly releases: string;
}

export function readQueueName(name: string): NamedQueue | undefined {
  const [, protocol, releases, world] = /^rollout-(\d{1,6})-([\w.]{1,20})-(.+)$/s.exec(name) ?? [];
  if (protocol === undefined || releases === undefined || world === undefined) return undefined;
  return { world, protocol: Number(protocol), releases };
}

/** The set of queues that there are. */
export const QUEUES_KEY = `${PREFIX}:queues`;

/** Episodes on their way to the caller. */
export function resultKey(job: string): string {
  return `${PREFIX}:result:${job}`;
}

/** Episodes on their way to a reward worker. */
export function inputKey(job: string): string {
  return `${PREFIX}:input:${job}`;
}

/** The workers that a job failed at. */
export function failedAtKey(job: string): string {
  return `${PREFIX}:failed-at:${job}`;
}

/** What a worker says of itself; it fades when the worker falls silent. */
export function workerKey(name: string): string {
  return `${PREFIX}:worker:${name}`;
}

/** The set of their names; expired ones stay in it until the next read. */
export const WORKERS_KEY = `${PREFIX}:workers`;

/** Why the results of a worker are not believed; it takes no jobs while this stands. */
export function untrustedKey(name: string): string {
  return `${PREFIX}:untrusted:${name}`;
}
