/** The fleet as it is reported: what a worker says of itself, and what is known of queues and jobs. Only shapes, so that the studio's pages can read them too. */
import { z } from "zod";

export const WorkerReportSchema = z.object({
  name: z.string(),
  /** What its results are signed with. */
  key: z.string().default(""),
  /** "blocked": it cannot write. "set-aside": it failed several jobs in a row, and tries one from time to time. */
  state: z.enum(["working", "idle", "blocked", "set-aside", "draining"]),
  /** Jobs of another protocol or line of releases are not for it. */
  protocol: z.number(),
  engine: z.string(),
  /** Most jobs at once in each of its worlds. */
  worlds: z.record(z.string(), z.number()),
  active: z.number(),
  jobs: z.number(),
  episodes: z.number(),
  failed: z.number(),
  /** Since it started. */
  seconds: z.number(),
  /** Mean of the finished jobs. */
  secondsPerJob: z.number(),
  problem: z.string().nullable(),
});
export type WorkerReport = z.output<typeof WorkerReportSchema>;

const QueueStateSchema = z.object({
  world: z.string(),
  /** Whose jobs these are; only workers of the same take them. */
  protocol: z.number(),
  releases: z.string(),
  waiting: z.number(),
  active: z.number(),
  /** Waiting for another attempt. */
  delayed: z.number(),
  /** Given up after all attempts. */
  parked: z.number(),
  /** Jobs of the last whole minutes, at most 5, per minute. */
  perMinute: z.number(),
  /** Most jobs at once over all workers; null: any number. */
  limit: z.number().nullable(),
});
export type QueueState = Readonly<z.output<typeof QueueStateSchema>>;

const ParkedJobSchema = z.object({
  world: z.string(),
  job: z.string(),
  run: z.string(),
  task: z.string(),
  attempts: z.number(),
  error: z.string(),
});
export type ParkedJob = Readonly<z.output<typeof ParkedJobSchema>>;

export const FleetStateSchema = z.object({
  workers: z.array(WorkerReportSchema).readonly(),
  queues: z.array(QueueStateSchema).readonly(),
  parked: z.array(ParkedJobSchema).readonly(),
});
export type FleetState = Readonly<z.output<typeof FleetStateSchema>>;
