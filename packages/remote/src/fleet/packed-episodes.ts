/** Episodes as they lie in Redis. Apart from jobs, whose types callers see: these name Node's own, which they may not have. */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { trajectoryFromJson, trajectoryToJson } from "limbeck-base/trajectory/schema";
import { EngineError } from "limbeck-base/base/errors";
import { parseJson } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

export async function packEpisodes(episodes: readonly Trajectory[]): Promise<Buffer> {
  return await promisify(gzip)(JSON.stringify(episodes.map(trajectoryToJson)));
}

/** A few bytes can unpack to gigabytes, and any program that writes into Redis may have put them there. */
const MOST_UNPACKED = 256 * 1024 * 1024;

export async function unpackEpisodes(bytes: Buffer, job: string): Promise<readonly Trajectory[]> {
  const text = await promisify(gunzip)(bytes, { maxOutputLength: MOST_UNPACKED }).catch((cause: unknown) => {
    throw badResult(job, `cannot be unpacked into at most ${MOST_UNPACKED} bytes`, cause);
  });
  const values = parseJson(text.toString());
  if (!Array.isArray(values)) throw badResult(job, "is no list of episodes");
  return values.map((value, at) => trajectoryFromJson(value, `episode ${at} of job ${job}`));
}

function badResult(job: string, what: string, cause?: unknown): EngineError {
  const message = `The result of job ${job} ${what}. Remove it from Redis; the job is then played again.`;
  return new EngineError("bad-job", message, { details: { job }, cause });
}
