/** What an importer makes of records that a test writes down. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionSource } from "../../packages/store/src/store/formats/source.ts";
import type { Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

/** As JSON lines in one file; `name` where the ending matters. */
export async function readRecords(
  importer: SessionSource,
  records: readonly object[],
  name = "records.jsonl",
): Promise<Trajectory[]> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-records-"));
  const path = join(folder, name);
  try {
    await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const all: Trajectory[] = [];
    for await (const trajectory of importer.read(path, {})) all.push(trajectory);
    return all;
  } finally {
    await rm(folder, { recursive: true });
  }
}
