/** Writes what an arena has found into its folder: a page to look at, and the numbers as Parquet. */
import { join } from "node:path";
import { writeReportFile } from "limbeck-store/report/document";
import { arenaPage } from "./report/page.ts";
import type { ArenaSummary } from "./summary.ts";
import type { CellType, Row, Table } from "limbeck-store/store/tables";
import type { Comparison, Decision } from "./decide.ts";
import type { PointLine, UpdateLine } from "./journal.ts";
import type { RunResult } from "./results.ts";

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
 * import { readPlan } from "limbeck-training/arena/plan";
 * import { summarise } from "limbeck-training/arena/summary";
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

/** Columns with their types, and where the cell of each comes from. */
type Columns<From> = Readonly<Record<string, readonly [type: CellType, cell: (from: From) => Row[string]]>>;

interface MeasuredPoint {
  readonly recipe: string | null;
  readonly run: RunResult;
  readonly point: PointLine;
  readonly update: UpdateLine | undefined;
}

const POINTS: Columns<MeasuredPoint> = {
  arm: ["text", ({ run }) => run.arm],
  recipe: ["text", ({ recipe }) => recipe],
  seed: ["int64", ({ run }) => run.seed],
  finished: ["bool", ({ run }) => run.finished],
  update: ["int64", ({ point }) => point.update],
  environment_steps: ["int64", ({ point }) => point.environmentSteps],
  sampled_tokens: ["int64", ({ point }) => point.sampledTokens],
  model_tokens: ["int64", ({ point }) => point.modelTokens],
  teacher_tokens: ["int64", ({ point }) => point.teacherTokens],
  seconds: ["double", ({ point }) => point.seconds],
  success: ["double", ({ point }) => point.success],
  solved: ["int64", ({ point }) => point.solved],
  tasks: ["int64", ({ point }) => point.tasks],
  mean_steps: ["double", ({ point }) => point.meanSteps],
  invalid: ["double", ({ point }) => point.invalid],
  train_success: ["double", ({ update }) => update?.success ?? null],
  reward: ["double", ({ update }) => update?.reward ?? null],
  entropy: ["double", ({ update }) => update?.entropy ?? null],
  kl: ["double", ({ update }) => update?.kl ?? null],
};

interface Measure {
  readonly account: string | null;
  readonly measure: string;
  readonly one: Comparison;
}

const COMPARISONS: Columns<Measure> = {
  account: ["text", ({ account }) => account],
  measure: ["text", ({ measure }) => measure],
  left: ["text", ({ one }) => one.left],
  right: ["text", ({ one }) => one.right],
  pairs: ["int64", ({ one }) => one.pairs],
  difference: ["double", ({ one }) => known(one.difference)],
  low: ["double", ({ one }) => known(one.interval.low)],
  high: ["double", ({ one }) => known(one.interval.high)],
  simultaneous_low: ["double", ({ one }) => known(one.simultaneous.low)],
  simultaneous_high: ["double", ({ one }) => known(one.simultaneous.high)],
  p: ["double", ({ one }) => one.p],
  adjusted_p: ["double", ({ one }) => one.adjustedP],
  better: ["text", ({ one }) => one.better],
  more_seeds: ["int64", ({ one }) => one.moreSeeds],
};

function rowsOf<From>(columns: Columns<From>, all: readonly From[]): Row[] {
  return all.map((from) => Object.fromEntries(Object.entries(columns).map(([name, [, cell]]) => [name, cell(from)])));
}

function tableOf(columns: Readonly<Record<string, readonly [Table["columns"][number]["type"], unknown]>>): Table {
  return { version: 1, columns: Object.entries(columns).map(([name, [type]]) => ({ name, type })) };
}

export function pointRows({ plan, runs }: ArenaSummary): Row[] {
  const recipes = new Map(plan.arms.map(({ name, recipe }) => [name, recipe]));
  const points = runs.flatMap((run) =>
    run.points.map((point) => {
      const update = run.updates.find((line) => line.update === point.update);
      return { recipe: recipes.get(run.arm) ?? null, run, point, update };
    }),
  );
  return rowsOf(POINTS, points);
}

export function comparisonRows({ accounts, final }: ArenaSummary): Row[] {
  const of = (found: Decision, account: string | null, measure: string): Measure[] =>
    found.comparisons.map((one) => ({ account, measure, one }));
  const all = accounts.flatMap(({ account, area, end }) => [
    ...of(area, account, "area"),
    ...of(end, account, "end of budget"),
  ]);
  return rowsOf(COMPARISONS, [...all, ...(final === undefined ? [] : of(final, null, "held-out"))]);
}

/** An interval without bounds has none in the file either. */
function known(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** The bytes of both files. The writer is loaded here, so that a process that only runs arms does without it. */
export async function parquetFiles(
  summary: ArenaSummary,
): Promise<{ readonly points: Uint8Array; readonly comparisons: Uint8Array }> {
  const { segmentBytes } = await import("limbeck-store/store/segment");
  return {
    points: segmentBytes(tableOf(POINTS), pointRows(summary)),
    comparisons: segmentBytes(tableOf(COMPARISONS), comparisonRows(summary)),
  };
}
