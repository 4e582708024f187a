/** What a rollout on a fleet demands of the numbers of its request. */
import { may } from "../base/options.ts";

export const FLEET_CHECKS = {
  seed: may.seed,
  peers: may.whole,
  attempts: may.count,
  concurrency: may.count,
  jobAttempts: may.count,
  backOffMs: may.amount,
  queueLimit: may.count,
  lookMs: may.positive,
} as const;
