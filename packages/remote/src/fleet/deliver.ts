/** Where the episodes of a job go: into a run of a store, or back to the caller. Either way they arrive once. */
import type { Redis } from "ioredis";
import { EngineError } from "limbeck-base/base/errors";
import { isObjectAddress } from "limbeck-base/base/object-address";
import { openStore } from "limbeck-store/store/open-store";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { RolloutJob } from "./job.ts";
import { packEpisodes } from "./packed-episodes.ts";
import { resultKey } from "./keys.ts";
import { signedBytes, type Identity } from "./trust.ts";

/** Results that are not fetched are gone after a day, and so are the episodes of a reward job. */
export const RESULT_SECONDS = 24 * 60 * 60;

export interface DeliverOptions {
  readonly redis: Redis;
  /** The folder under which this worker sees the store of every job. Default: as the job says. */
  readonly store: string | undefined;
  readonly identity: Identity;
}

export async function deliver(
  job: RolloutJob,
  trajectories: readonly Trajectory[],
  { redis, store, identity }: DeliverOptions,
): Promise<void> {
  if (job.deliver.to === "caller") {
    const bytes = signedBytes(job, await packEpisodes(trajectories), identity);
    await redis.set(resultKey(job.key), bytes, "EX", RESULT_SECONDS);
    return;
  }
  const root = store ?? job.deliver.root;
  // A job is data: it may name a folder that is shared, and no address that is called.
  if (store === undefined && isObjectAddress(root)) {
    throw new EngineError(
      "address-refused",
      `The job asks to store at ${root}. A worker calls no address that a job names: give it the same one with --store, or ask with --deliver caller.`,
      { details: { run: job.run, root } },
    );
  }
  const opened = openStore(root);
  try {
    const writer = await opened.openRun(job.run, { beside: true });
    for (const trajectory of trajectories) await writer.append(trajectory);
    await writer.commit({ key: job.key });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError(
      "cannot-deliver",
      `The episodes are played, but cannot be stored in run "${job.run}" of ${root}: ${why} Workers must see the store of who asks: share its folder, give the worker its own path to it with --store, or ask with --deliver caller.`,
      { details: { run: job.run, root }, cause },
    );
  } finally {
    await opened.close();
  }
}

/** What stands in Redis for the caller; undefined where there is nothing any more. */
export async function receive(redis: Redis, key: string): Promise<Buffer | undefined> {
  return (await redis.getBuffer(resultKey(key))) ?? undefined;
}
