/** A job for a reward worker: the episodes of one task, to be rewarded by a plan. They lie beside it in Redis, packed. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { z } from "zod";
import { canonicalJson } from "../base/index.ts";
import { trajectoryFromJson, trajectoryToJson, type JsonObject, type Trajectory } from "../trajectory/index.ts";
import { understood } from "./job.ts";
import { OWN_LINE, PROTOCOL, type Line } from "./protocol.ts";

/** The name of the queue, in the place of a world's, and of its jobs. */
export const REWARDS = "rewards";

const name = z.string().min(1);

const RewardJobSchema = z.strictObject({
  protocol: z.literal(PROTOCOL),
  engine: name,
  key: name,
  run: name,
  /** As others see what a job is about. */
  task: z.strictObject({ id: name }),
  plan: z.record(z.string(), z.json()),
  update: z.int().nonnegative(),
  seed: z.string(),
});

export type RewardJob = z.output<typeof RewardJobSchema>;

/** Equal work has equal keys. `packed` are the episodes themselves. */
export function keyedRewardJob(
  job: {
    readonly run: string;
    readonly task: string;
    readonly plan: JsonObject;
    readonly update: number;
    readonly seed: string;
  },
  packed: Buffer,
): RewardJob {
  const { run, task, plan, update, seed } = job;
  const content = createHash("sha256").update(packed).digest("hex");
  const said = canonicalJson({ run, task, plan, update, seed, content });
  const key = `r${createHash("sha256").update(said).digest("hex").slice(0, 40)}`;
  const line = { protocol: PROTOCOL, engine: OWN_LINE.engine } as const;
  return { ...line, key, run, task: { id: task }, plan: plan as RewardJob["plan"], update, seed };
}

/** What stands in Redis is not to be trusted. */
export function parseRewardJob(value: unknown, line: Line = OWN_LINE): RewardJob {
  return understood(RewardJobSchema, value, line);
}

export async function packEpisodes(episodes: readonly Trajectory[]): Promise<Buffer> {
  return await promisify(gzip)(JSON.stringify(episodes.map(trajectoryToJson)));
}

export async function unpackEpisodes(bytes: Buffer, job: string): Promise<readonly Trajectory[]> {
  const values = JSON.parse((await promisify(gunzip)(bytes)).toString()) as readonly unknown[];
  return values.map((value, at) => trajectoryFromJson(value, `episode ${at} of job ${job}`));
}
