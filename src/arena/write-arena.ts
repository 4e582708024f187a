/** Writes what an arena has found into its folder: a page to look at, and the numbers as Parquet. */
import { join } from "node:path";
import { writeReportFile } from "../eval/report/document.ts";
import { arenaPage } from "./report/page.ts";
import type { ArenaSummary } from "./summary.ts";
import type { Row, Table } from "../store/tables.ts";
import type { Decision } from "./decide.ts";

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

// An arena as Parquet: one row for each point of a curve, one for each comparison.

const points: Table = {
  version: 1,
  columns: [
    { name: "arm", type: "text" },
    { name: "recipe", type: "text" },
    { name: "seed", type: "int64" },
    { name: "finished", type: "bool" },
    { name: "update", type: "int64" },
    { name: "environment_steps", type: "int64" },
    { name: "sampled_tokens", type: "int64" },
    { name: "model_tokens", type: "int64" },
    { name: "teacher_tokens", type: "int64" },
    { name: "seconds", type: "double" },
    { name: "success", type: "double" },
    { name: "solved", type: "int64" },
    { name: "tasks", type: "int64" },
    { name: "mean_steps", type: "double" },
    { name: "invalid", type: "double" },
    { name: "train_success", type: "double" },
    { name: "reward", type: "double" },
    { name: "entropy", type: "double" },
    { name: "kl", type: "double" },
  ],
};

const comparisons: Table = {
  version: 1,
  columns: [
    { name: "account", type: "text" },
    { name: "measure", type: "text" },
    { name: "left", type: "text" },
    { name: "right", type: "text" },
    { name: "pairs", type: "int64" },
    { name: "difference", type: "double" },
    { name: "low", type: "double" },
    { name: "high", type: "double" },
    { name: "simultaneous_low", type: "double" },
    { name: "simultaneous_high", type: "double" },
    { name: "p", type: "double" },
    { name: "adjusted_p", type: "double" },
    { name: "better", type: "text" },
    { name: "more_seeds", type: "int64" },
  ],
};

export function pointRows({ plan, runs }: ArenaSummary): Row[] {
  const recipes = new Map(plan.arms.map(({ name, recipe }) => [name, recipe]));
  return runs.flatMap((run) =>
    run.points.map((point): Row => {
      const update = run.updates.find((line) => line.update === point.update);
      return {
        arm: run.arm,
        recipe: recipes.get(run.arm) ?? null,
        seed: run.seed,
        finished: run.finished,
        update: point.update,
        environment_steps: point.environmentSteps,
        sampled_tokens: point.sampledTokens,
        model_tokens: point.modelTokens,
        teacher_tokens: point.teacherTokens,
        seconds: point.seconds,
        success: point.success,
        solved: point.solved,
        tasks: point.tasks,
        mean_steps: point.meanSteps,
        invalid: point.invalid,
        train_success: update?.success ?? null,
        reward: update?.reward ?? null,
        entropy: update?.entropy ?? null,
        kl: update?.kl ?? null,
      };
    }),
  );
}

export function comparisonRows({ accounts, final }: ArenaSummary): Row[] {
  return [
    ...accounts.flatMap(({ account, area, end }) => [
      ...rowsOf(area, account, "area"),
      ...rowsOf(end, account, "end of budget"),
    ]),
    ...(final === undefined ? [] : rowsOf(final, null, "held-out")),
  ];
}

function rowsOf({ comparisons: found }: Decision, account: string | null, measure: string): Row[] {
  return found.map((one) => ({
    account,
    measure,
    left: one.left,
    right: one.right,
    pairs: one.pairs,
    difference: known(one.difference),
    low: known(one.interval.low),
    high: known(one.interval.high),
    simultaneous_low: known(one.simultaneous.low),
    simultaneous_high: known(one.simultaneous.high),
    p: one.p,
    adjusted_p: one.adjustedP,
    better: one.better,
    more_seeds: one.moreSeeds,
  }));
}

/** An interval without bounds has none in the file either. */
function known(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** The bytes of both files. The writer is loaded here, so that who only runs arms does without it. */
export async function parquetFiles(
  summary: ArenaSummary,
): Promise<{ readonly points: Uint8Array; readonly comparisons: Uint8Array }> {
  const { segmentBytes } = await import("../store/segment.ts");
  return {
    points: segmentBytes(points, pointRows(summary)),
    comparisons: segmentBytes(comparisons, comparisonRows(summary)),
  };
}
