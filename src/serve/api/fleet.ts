/** The fleet: workers, queues and what was given up, as `limbeck fleet` shows them. */
import { z } from "zod";

const worker = z.object({
  name: z.string(),
  state: z.enum(["working", "idle", "blocked", "draining"]),
  /** Most jobs at once in each of its worlds. */
  worlds: z.record(z.string(), z.number()),
  active: z.number(),
  jobs: z.number(),
  episodes: z.number(),
  failed: z.number(),
  /** Since it started. */
  seconds: z.number(),
  secondsPerJob: z.number(),
  problem: z.string().nullable(),
});

const queue = z.object({
  world: z.string(),
  waiting: z.number(),
  active: z.number(),
  /** Waiting for another attempt. */
  delayed: z.number(),
  /** Given up after all attempts. */
  parked: z.number(),
  perMinute: z.number(),
  limit: z.number().nullable(),
});

const parkedJob = z.object({
  world: z.string(),
  job: z.string(),
  run: z.string(),
  task: z.string(),
  attempts: z.number(),
  error: z.string(),
});

const fleet = z.object({
  workers: z.array(worker).readonly(),
  queues: z.array(queue).readonly(),
  parked: z.array(parkedJob).readonly(),
});
export type Fleet = z.infer<typeof fleet>;

/** Null where the studio was started without `--redis`. */
export const fleetAnswer = z.object({ fleet: fleet.nullable() });
