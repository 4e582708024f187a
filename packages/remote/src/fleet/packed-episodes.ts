/** Episodes as they lie in Redis. Apart from jobs, whose types callers see: these name Node's own, which they may not have. */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { trajectoryFromJson, trajectoryToJson } from "limbeck-base/trajectory/schema";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

export async function packEpisodes(episodes: readonly Trajectory[]): Promise<Buffer> {
  return await promisify(gzip)(JSON.stringify(episodes.map(trajectoryToJson)));
}

export async function unpackEpisodes(bytes: Buffer, job: string): Promise<readonly Trajectory[]> {
  const values = JSON.parse((await promisify(gunzip)(bytes)).toString()) as readonly unknown[];
  return values.map((value, at) => trajectoryFromJson(value, `episode ${at} of job ${job}`));
}
