/** What a caller holds against the results of workers: signatures, versions, and rewards that do not come out again. */
import { Recent } from "limbeck-base/base/recent";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { WorkerReport } from "./fleet-report.ts";
import type { RolloutJob } from "./job.ts";
import { createWorlds } from "./play-job.ts";
import { cannotReplay, isSigned, mismatch, findReplayDifference, statement, type Signed } from "./trust.ts";

export interface Doubts {
  /** Why a result is not believed; undefined where nothing speaks against it. */
  about(job: RolloutJob, result: Signed, episodes: readonly Trajectory[]): Promise<string | undefined>;
}

interface DoubtsOptions {
  readonly workers: () => Promise<readonly WorkerReport[]>;
  /** Of the jobs whose actions are played again. */
  readonly share: number;
  readonly onNotice: (message: string) => void;
}

export function createDoubts({ workers, share, onNotice }: DoubtsOptions): Doubts {
  const keys = new Map<string, string>();
  // The first that did not come out again: from then on none of its results is believed.
  const caught = new Map<string, string>();
  const worlds = createWorlds();
  const notices = new Recent<void>();
  const keyOf = async (worker: string): Promise<string | undefined> => {
    if (!keys.has(worker)) {
      // A name keeps the key that it was first seen with.
      for (const { name, key } of await workers()) if (!keys.has(name)) keys.set(name, key);
    }
    return keys.get(worker);
  };
  const playedAgain = async (job: RolloutJob, episodes: readonly Trajectory[]): Promise<string | undefined> => {
    try {
      return await findReplayDifference((await worlds.of(job.env)).env, episodes);
    } catch (error) {
      await notices.get(job.env.id, () => Promise.resolve(onNotice(cannotReplay(error))));
      return undefined;
    }
  };
  return {
    about: async (job, { worker, signature, bytes }, episodes) => {
      const known = caught.get(worker);
      if (known !== undefined) return known;
      const key = await keyOf(worker);
      // A worker that has gone since is not asked any more; its name is not known here then, and nothing can be compared.
      if (key !== undefined && !isSigned(statement(job, bytes), signature, key))
        return "a result has another signature";
      const chosen = Math.random() < share;
      const doubt = mismatch(job, episodes) ?? (chosen ? await playedAgain(job, episodes) : undefined);
      if (doubt !== undefined) caught.set(worker, doubt);
      return doubt;
    },
  };
}
