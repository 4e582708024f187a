/** What a run says of itself: evaluations, its end, what it cost. */
import { z } from "zod";
import { wilson } from "limbeck-base/base/statistics/share";
import { quote } from "limbeck-store/store/migrations";
import type { RunSummary, Store } from "limbeck-store/store/store";
import { isEnough } from "limbeck-base/trajectory/tally";
import { evaluation, type EvaluationPoint, type RunItem } from "../api/runs.ts";
import { dataOf, numberOr, textOr, type Cell } from "./cells.ts";

/** Rows at the end of a run in which its newest word is looked for first. */
const LAST_EVENTS = 40;
const LAST_VALUES = 100;
/** Kinds of runs that were not played here: only their episodes' own times are known. */
const RECORDED = ["import", "record"];

export interface Facts {
  readonly evaluations: readonly EvaluationPoint[];
  readonly end: { readonly reason: string; readonly update: number } | undefined;
  readonly done: number | undefined;
  readonly updateSeconds: number | undefined;
  readonly cost: RunItem["cost"];
  readonly stored: RunItem["stored"];
  readonly split: string | null;
}

const told = z.object({
  phase: z.string(),
  update: z.number(),
  success: z.number(),
  low: z.number(),
  high: z.number(),
  tasks: z.number(),
  failed: z.number().catch(0),
  meanSteps: z.number().nullable().catch(null),
  invalid: z.number().nullable().catch(null),
});
const ended = z.object({
  reason: z.string(),
  update: z.number(),
  spent: z.record(z.string(), z.number()).catch({}),
});

export function evaluationOf(data: unknown): EvaluationPoint[] {
  const read = told.safeParse(data);
  if (!read.success) return [];
  const { success, tasks, failed, ...rest } = read.data;
  return [evaluation.parse({ ...rest, value: success, tasks: tasks - failed })];
}

/**
 * Evaluations and the end of a run, in order. Of a long run only its first stretch and its newest rows are read, where
 * those suffice: a training leaves hundreds of small files.
 */
async function readTold(store: Store, { id: run, events }: RunSummary): Promise<(readonly unknown[])[]> {
  const sql = "select kind, data from events where kind in ('evaluation', 'end') order by time";
  const newest = await store.query(sql, { run, after: { events: Math.max(0, events - LAST_EVENTS) } });
  const tells = newest.rows.some(([, data]) => /"phase":"(validation|after)"/.test(String(data)));
  if (events <= LAST_EVENTS || !tells) return [...(await store.query(sql, { run })).rows];
  const { rows } = await store.list(`select id from listed where run = ${quote(run)} and place = 0`, { run });
  const first = await store.query(sql, { run, around: rows.map(([id]) => String(id)) });
  return [...first.rows, ...newest.rows];
}

export async function readFacts(store: Store, summary: RunSummary, changedAt: string | null): Promise<Facts> {
  const { id, trajectories } = summary;
  const events = await readTold(store, summary);
  const of = (kind: string): unknown[] => events.filter((row) => row[0] === kind).map((row) => dataOf(row[1]));
  const metrics = await store.query(
    `select name, value, step from (
       select name, value, step, row_number() over (partition by name order by step desc, time desc) as again from metrics
       where name in ('success', 'seconds') or starts_with(name, 'spent/')
     ) where again = 1`,
    { run: id, after: { metrics: Math.max(0, summary.metrics - LAST_VALUES) } },
  );
  const last = new Map(metrics.rows.map(([name, value, step]) => [String(name), { value, step }]));
  const spent = (name: string): Cell => last.get(`spent/${name}`)?.value ?? end?.spent[name];
  const end = ended.safeParse(of("end").at(-1)).data;
  const sums = await store.list(
    `select count(success), count(*) filter (where success), sum(cost_usd), sum(step_count), sum(completion_tokens),
       sum(duration_ms) / 1000, count(*) filter (where ending = 'failed'),
       case when count(distinct split) = 1 and count(split) = count(*) then max(split) end from listed where run = ${quote(id)}`,
    { run: id },
  );
  const [judged, solved, usd, steps, tokens, summed, lost, split] = sums.rows[0] ?? [];
  const trained = summary.kind === "train" || last.has("success");
  // Episodes are played side by side, so their times do not add up to the time of the run.
  const lasted = changedAt === null ? null : Math.max(0, Date.parse(changedAt) - Date.parse(summary.createdAt)) / 1_000;
  const seconds = RECORDED.includes(summary.kind) ? numberOr(summed) : lasted;
  return {
    evaluations: of("evaluation").flatMap(evaluationOf),
    end,
    done: trained ? (numberOr(last.get("success")?.step) ?? undefined) : undefined,
    updateSeconds: numberOr(last.get("seconds")?.value) ?? undefined,
    cost: {
      environmentSteps: numberOr(spent("environmentSteps")) ?? (trained ? null : numberOr(steps)),
      sampledTokens: numberOr(spent("sampledTokens")) ?? (trained ? null : numberOr(tokens)),
      modelTokens: numberOr(spent("modelTokens")),
      seconds: numberOr(end?.spent["seconds"] ?? spent("seconds")) ?? (trained ? lasted : seconds),
      usd: numberOr(usd),
    },
    stored:
      (await chosenShare(store, summary)) ??
      (trained || trajectories === 0 || !isEnough({ seen: Number(judged ?? 0), lost: Number(lost ?? 0) })
        ? null
        : shareOf(Number(solved ?? 0), Number(judged ?? 0))),
    split: trained ? null : textOr(split),
  };
}

/** A search stores every line that it walked; it has solved a task where the line that it chose did. */
async function chosenShare(store: Store, { id, config, trajectories }: RunSummary): Promise<RunItem["stored"]> {
  if (config["search"] === undefined || trajectories === 0) return null;
  const { rows } = await store.query(
    `select count(distinct task_id), count(distinct case when success and
       (info -> '$.search.chosen') = 'true' then task_id end) from trajectories`,
    { run: id },
  );
  const [tasks, solved] = rows[0] ?? [];
  return Number(tasks ?? 0) === 0 ? null : shareOf(Number(solved ?? 0), Number(tasks));
}

function shareOf(solved: number, tasks: number): RunItem["stored"] {
  return { value: solved / tasks, ...wilson(solved, tasks), tasks };
}
