/** What the report shows of a run, as the store holds it. Anything may be missing: a run may be unfinished or no training. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import type { RunSummary, Store } from "../store/store.ts";
import type { Point } from "./chart.ts";

const share = z.object({
  success: z.number(),
  low: z.number(),
  high: z.number(),
  tasks: z.number(),
  // Runs from before lost episodes were counted apart have none.
  failed: z.number().catch(0),
  causes: z.record(z.string(), z.number()).catch({}),
});
const evaluation = share.extend({ phase: z.string(), update: z.number() });
const spent = z.object({ environmentSteps: z.number(), sampledTokens: z.number(), seconds: z.number() });
const ending = z.object({ reason: z.string(), update: z.number(), spent });

export type Share = z.infer<typeof share>;
export type Evaluated = z.infer<typeof evaluation>;

export interface RunRecord {
  readonly summary: RunSummary;
  readonly label: string;
  /** Which colour and dash it has in every chart. */
  readonly style: number;
  readonly evaluations: readonly Evaluated[];
  /** By name, in the order of the updates. */
  readonly metrics: ReadonlyMap<string, readonly Point[]>;
  readonly end: z.infer<typeof ending> | undefined;
}

export async function readRun(store: Store, run: string, label: string, style: number): Promise<RunRecord> {
  const [summary] = await store.runs({ only: run });
  if (summary === undefined) {
    throw new EngineError("no-run", `There is no run "${run}" in ${store.root}; "limbeck runs" lists what is there.`);
  }
  return await readRecord(store, summary, label, style);
}

/** The same of a run that is known to be there. */
export async function readRecord(store: Store, summary: RunSummary, label: string, style: number): Promise<RunRecord> {
  const run = summary.id;
  const events = await store.query("select kind, data from events where kind in ('evaluation', 'end')", {
    run,
    trusted: true,
  });
  const data = (kind: string): unknown[] =>
    events.rows.filter((row) => row[0] === kind).map((row) => JSON.parse(String(row[1])) as unknown);
  return {
    summary,
    label,
    style,
    evaluations: data("evaluation").flatMap((one) => evaluation.safeParse(one).data ?? []),
    metrics: await readMetrics(store, run),
    end: ending.safeParse(data("end").at(-1)).data,
  };
}

async function readMetrics(store: Store, run: string): Promise<Map<string, Point[]>> {
  // A run that was killed and resumed may have a step twice; the last word counts.
  const { rows } = await store.query(
    `select name, step, value from (
       select name, step, value, row_number() over (partition by name, step order by time desc) as again
       from metrics where isfinite(value)
     ) where again = 1 order by name, step`,
    { run, trusted: true },
  );
  const metrics = new Map<string, Point[]>();
  for (const [name, step, value] of rows) {
    const points = metrics.get(String(name)) ?? [];
    points.push({ x: Number(step), y: Number(value) });
    metrics.set(String(name), points);
  }
  return metrics;
}

/** Success before or after the training, on tasks that only the report looks at. */
export function lastEvaluation(run: RunRecord, phase: "before" | "after"): Evaluated | undefined {
  return run.evaluations.findLast((one) => one.phase === phase);
}
