/** Writes what an arena has found into its folder: a page to look at, and the numbers as Parquet. */
import { join } from "node:path";
import { writeReportFile } from "../eval/report/report-file.ts";
import { parquetFiles } from "./parquet.ts";
import { arenaPage } from "./report/page.ts";
import type { ArenaSummary } from "./summary.ts";

export interface ArenaFiles {
  readonly report: string;
  readonly points: string;
  readonly comparisons: string;
}

/**
 * The report, and its numbers as Parquet files.
 *
 * @example
 * import { mkdtemp, readdir, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { readPlan, summarise } from "limbeck/arena";
 *
 * const dir = await mkdtemp(join(tmpdir(), "arena-"));
 * const arms = [{ name: "grpo", recipe: "grpo" }];
 * const plan = readPlan({ version: 1, arms, seeds: [1], env: "household", model: "my-model", budget: { account: "steps", amount: 8000 } });
 * await writeArena(summarise(plan, []), dir);
 * console.log((await readdir(dir)).sort()); // [ "comparisons.parquet", "points.parquet", "report.html" ]
 * await rm(dir, { recursive: true });
 */
export async function writeArena(summary: ArenaSummary, dir: string): Promise<ArenaFiles> {
  const files: ArenaFiles = {
    report: join(dir, "report.html"),
    points: join(dir, "points.parquet"),
    comparisons: join(dir, "comparisons.parquet"),
  };
  const { points, comparisons } = await parquetFiles(summary);
  // The page comes last: where it cannot be written, the numbers are.
  await writeReportFile(files.points, points);
  await writeReportFile(files.comparisons, comparisons);
  await writeReportFile(files.report, arenaPage(summary));
  return files;
}
