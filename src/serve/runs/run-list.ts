/** The list of runs. What a run says of itself is read once for each of its commits. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isObjectAddress } from "../../base/object-address.ts";
import { EngineError, errorCode, mapLimit, wilson } from "../../base/index.ts";
import { quote } from "../../store/migrations.ts";
import type { RunSummary, Store } from "../../store/store.ts";
import { isEnough } from "../../trajectory/tally.ts";
import { evaluation, type EvaluationPoint, type RunItem, type RunStatus } from "../api/runs.ts";
import type { LabelChange, Labels } from "../api/labels.ts";
import { dataOf, numberOr, type Cell } from "./cells.ts";
import { createLabelShelf } from "./labels.ts";

export interface BrokenRun {
  readonly run: string;
  readonly problem: string;
}

export interface RunList {
  /** The newest first. */
  all(): Promise<RunItem[]>;
  /** The run of this id; "no-run" when it is not there (any more). */
  one(id: string): Promise<RunItem>;
  summary(id: string): Promise<RunSummary>;
  /** Tags, notes, pins or archives a run. */
  label(id: string, change: LabelChange): Promise<Labels>;
  /** Runs that cannot be read, as they were known some seconds ago. */
  broken(): Promise<BrokenRun[]>;
}

/** A training that has been silent for longer than this, and than several of its updates, has been stopped. */
const SILENT_MS = 120_000;
const SILENT_UPDATES = 5;
/** Other writers say nothing between commits either. */
const FRESH_MS = 10_000;
const AT_ONCE = 4;
const BROKEN_MS = 5_000;
/** Rows at the end of a run in which its newest word is looked for first. */
const LAST_EVENTS = 40;
const LAST_VALUES = 100;
/** Kinds of runs that were not played here: only their episodes' own times are known. */
const RECORDED = ["import", "record"];

interface Facts {
  readonly evaluations: readonly EvaluationPoint[];
  readonly end: { readonly reason: string; readonly update: number } | undefined;
  readonly done: number | undefined;
  readonly updateSeconds: number | undefined;
  readonly cost: RunItem["cost"];
  readonly stored: RunItem["stored"];
}

export interface RunListOptions {
  readonly now: () => Date;
  /** Whether the process that wrote a run is known to have ended, so that its silence need not be waited out. Default: of none. */
  readonly isOver?: (run: string) => boolean;
}

export function createRunList(store: Store, { now, isOver = () => false }: RunListOptions): RunList {
  const known = new Map<string, { readonly key: string; readonly facts: Facts }>();
  let looked = { at: Number.NEGATIVE_INFINITY, found: [] as BrokenRun[] };
  const said = createLabelShelf(store.root);
  const shown = async (summary: RunSummary, changedAt: string | null, facts?: Facts): Promise<RunItem> => {
    const item = { ...toItem(summary, changedAt, facts, now()), labels: await said.read(summary.id) };
    return item.status === "running" && isOver(summary.id) ? { ...item, status: "stopped" } : item;
  };
  const itemOf = async (summary: RunSummary): Promise<RunItem> => {
    const changedAt = await changed(store, summary.id);
    if (summary.problem !== undefined) return await shown(summary, changedAt);
    const key = `${summary.createdAt} ${summary.commits}`;
    const remembered = known.get(summary.id);
    const facts = remembered?.key === key ? remembered.facts : await readFacts(store, summary, changedAt);
    known.set(summary.id, { key, facts });
    return await shown(summary, changedAt, facts);
  };
  const guarded = async (summary: RunSummary): Promise<RunItem> => {
    try {
      return await itemOf(summary);
    } catch (error) {
      if (errorCode(error) === "no-run") throw error;
      // A segment of the right size with wrong bytes is only noticed when it is read.
      const problem = error instanceof Error ? error.message : String(error);
      return await shown({ ...summary, problem }, null);
    }
  };
  const summary = async (id: string): Promise<RunSummary> => {
    const [found] = await store.runs({ only: id });
    if (found !== undefined) return found;
    throw new EngineError("no-run", `There is no run "${id}" in this store; it may have been deleted.`, {
      details: { run: id },
    });
  };
  return {
    all: async () => {
      const found = await mapLimit(await store.runs(), AT_ONCE, (summary) => guarded(summary).catch(gone));
      const items = found.filter((item) => item !== undefined);
      return items.sort((left, right) => (left.createdAt < right.createdAt ? 1 : -1));
    },
    one: async (id) => await guarded(await summary(id)),
    summary,
    label: async (id, change) => await said.change((await summary(id)).id, change),
    broken: async () => {
      if (now().getTime() - looked.at > BROKEN_MS) {
        const all = await store.runs();
        const found = all.flatMap(({ id, problem }) => (problem === undefined ? [] : [{ run: id, problem }]));
        looked = { at: now().getTime(), found };
      }
      return looked.found;
    },
  };
}

/** Deleted between the look at the folder and the look at the run. */
function gone(error: unknown): undefined {
  if (errorCode(error) === "no-run") return undefined;
  throw error;
}

async function changed(store: Store, run: string): Promise<string | null> {
  const { root } = store;
  if (isObjectAddress(root)) {
    // Object storage has no folder whose time could be read; the newest line that was committed tells it too.
    const newest = "select max(time) from (select time from metrics union all select time from events)";
    const { rows } = await store.query(newest, { run, trusted: true });
    return (rows[0]?.[0] as string | null | undefined) ?? null;
  }
  return await stat(join(root, run, "commits")).then(
    ({ mtime }) => mtime.toISOString(),
    () => null,
  );
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
 * those tell enough: a training leaves hundreds of small files.
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

async function readFacts(store: Store, summary: RunSummary, changedAt: string | null): Promise<Facts> {
  const { id, trajectories } = summary;
  const events = await readTold(store, summary);
  const of = (kind: string): unknown[] => events.filter((row) => row[0] === kind).map((row) => dataOf(row[1]));
  const metrics = await store.query(
    `select name, arg_max(value, step), max(step) from metrics
     where name in ('success', 'seconds') or starts_with(name, 'spent/') group by name`,
    { run: id, after: { metrics: Math.max(0, summary.metrics - LAST_VALUES) } },
  );
  const last = new Map(metrics.rows.map(([name, value, step]) => [String(name), { value, step }]));
  const spent = (name: string): Cell => last.get(`spent/${name}`)?.value ?? end?.spent[name];
  const end = ended.safeParse(of("end").at(-1)).data;
  const sums = await store.list(
    `select count(success), count_if(success), sum(cost_usd), sum(step_count), sum(completion_tokens),
       sum(duration_ms) / 1000, count_if(ending = 'failed') from listed where run = ${quote(id)}`,
    { run: id },
  );
  const [judged, solved, usd, steps, tokens, summed, lost] = sums.rows[0] ?? [];
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
  };
}

/** A search stores every line that it walked; it has solved a task where the line that it chose did. */
async function chosenShare(store: Store, { id, config, trajectories }: RunSummary): Promise<RunItem["stored"]> {
  if (config["search"] === undefined || trajectories === 0) return null;
  const { rows } = await store.query(
    `select count(distinct task_id), count(distinct case when success and
       json_extract_string(info, '$.search.chosen') = 'true' then task_id end) from trajectories`,
    { run: id },
  );
  const [tasks, solved] = rows[0] ?? [];
  return Number(tasks ?? 0) === 0 ? null : shareOf(Number(solved ?? 0), Number(tasks));
}

function shareOf(solved: number, tasks: number): RunItem["stored"] {
  return { value: solved / tasks, ...wilson(solved, tasks), tasks };
}

function toItem(
  summary: RunSummary,
  changedAt: string | null,
  facts: Facts | undefined,
  now: Date,
): Omit<RunItem, "labels"> {
  const { config } = summary;
  const word = (name: string): string | null => (typeof config[name] === "string" ? config[name] : null);
  const number = (name: string): number | null => (typeof config[name] === "number" ? config[name] : null);
  const spoken = (phase: string): EvaluationPoint | undefined =>
    facts?.evaluations.findLast((one) => one.phase === phase);
  const nothing = { environmentSteps: null, sampledTokens: null, modelTokens: null, seconds: null, usd: null };
  return {
    id: summary.id,
    kind: summary.kind,
    createdAt: summary.createdAt,
    changedAt,
    status: statusOf(summary, changedAt, facts, now),
    recipe: word("recipe"),
    credit: word("credit"),
    env: word("env"),
    seed: number("seed"),
    updates: facts?.done === undefined ? null : { done: facts.done, planned: number("updates") },
    success: spoken("after") ?? spoken("validation") ?? spoken("before") ?? null,
    before: spoken("before") ?? null,
    stored: facts?.stored ?? null,
    trajectories: summary.trajectories,
    steps: summary.steps,
    bytes: summary.bytes,
    commits: summary.commits,
    cost: facts?.cost ?? nothing,
    problem: summary.problem ?? null,
  };
}

function statusOf(summary: RunSummary, changedAt: string | null, facts: Facts | undefined, now: Date): RunStatus {
  if (summary.problem !== undefined) return "broken";
  const silent = changedAt === null ? Number.POSITIVE_INFINITY : now.getTime() - Date.parse(changedAt);
  if (summary.kind !== "train") return silent < FRESH_MS ? "running" : "stored";
  // A finished training that was resumed has gone on past its end.
  if (facts?.end !== undefined && (facts.done ?? 0) <= facts.end.update) return "finished";
  const patience = Math.max(SILENT_MS, (facts?.updateSeconds ?? 0) * 1_000 * SILENT_UPDATES);
  return silent < patience ? "running" : "stopped";
}
