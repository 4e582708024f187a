/** One reward job on this worker: the episodes of a task, rewarded by the plan of the job and by what this worker has. */
import { EngineError } from "../base/index.ts";
import { openAwayRewards, type AwayRewards } from "../training/away-rewards.ts";
import { REWARDED } from "../training/run-rewards.ts";
import { isSeen } from "../trajectory/tally.ts";
import type { Redis } from "ioredis";
import type { JobSummary } from "./job.ts";
import { inputKey, resultKey } from "./keys.ts";
import { packEpisodes, unpackEpisodes, type RewardJob } from "./reward-job.ts";

/** Results that nobody fetches are gone after a day. */
const RESULT_SECONDS = 24 * 60 * 60;

export interface RewardGivers {
  give(job: RewardJob, signal: AbortSignal): Promise<Omit<JobSummary, "worker">>;
  close(): Promise<void>;
}

/** Scorers and judges are opened once for each plan. */
export function createRewardGivers(
  redis: Redis,
  worker: string,
  environment: Readonly<Record<string, string | undefined>>,
): RewardGivers {
  const known = new Map<string, Promise<AwayRewards>>();
  const giverOf = (plan: RewardJob["plan"]): Promise<AwayRewards> => {
    const key = JSON.stringify(plan);
    const found = known.get(key) ?? openAwayRewards(plan, environment);
    known.set(key, found);
    found.catch(() => known.delete(key));
    return found;
  };
  return {
    give: async (job, signal) => {
      const { key, plan, update, seed } = job;
      const bytes = await redis.getBuffer(inputKey(key));
      if (bytes === null) {
        throw new EngineError("bad-job", `The episodes of job ${key} are gone: whoever asked has given it up.`);
      }
      const episodes = await unpackEpisodes(bytes, key);
      const given = await (await giverOf(plan)).give(episodes, { update, seed, signal });
      const marked = given.map((one) => ({ ...one, info: { ...one.info, [REWARDED]: worker } }));
      await redis.set(resultKey(key), await packEpisodes(marked), "EX", RESULT_SECONDS);
      const counts = { trajectories: given.length, episodes: 0, failed: 0, succeeded: 0, steps: 0, sampledTokens: 0 };
      return { ...counts, judged: given.filter(isSeen).length };
    },
    close: async () => {
      // What did not open needs no closing.
      for (const giver of known.values()) await (await giver.catch(() => undefined))?.close();
    },
  };
}
