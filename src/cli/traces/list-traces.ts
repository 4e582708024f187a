/** What was recorded, one row for each trajectory, from the store's views; each id once, wherever it is stored. */
import { quote } from "../../store/migrations.ts";
import type { QueryOptions, Store } from "../../store/store.ts";
import { outcomeOf, scoreValue } from "../../trajectory/index.ts";
import { costOf, type Prices } from "./prices.ts";

export interface TraceFilter {
  readonly task?: string;
  readonly agent?: string;
  readonly model?: string;
  /** Started at or after, ISO 8601. */
  readonly since?: string;
  readonly outcome?: "success" | "failure" | "none";
  readonly errors?: boolean;
  /** Also what the engine itself rolled out. */
  readonly all?: boolean;
}

export interface Trace {
  readonly run: string;
  readonly id: string;
  readonly task: string;
  readonly agent: string;
  readonly model: string | null;
  readonly startedAt: string | null;
  readonly durationMs: number | null;
  readonly steps: number;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly costUsd: number | null;
  readonly ending: string;
  /** Calls that failed or broke off. */
  readonly errors: number;
  readonly failure: string | null;
  readonly success: boolean | null;
  readonly score: number | null;
  /** Other runs that hold the same id; counted here once. */
  readonly alsoIn: number;
}

const QUERY = (conditions: string): string => `
with outcomes as (
  select run, trajectory,
    min(value) filter (name = 'success') as success_low, max(value) filter (name = 'success') as success_high,
    min(value) filter (name = 'score') as score_low, max(value) filter (name = 'score') as score_high
  from rewards where step is null and name in ('success', 'score') and value is not null group by run, trajectory
), found as (
  select t.*, r.kind = 'record' as is_record,
    row_number() over (partition by t.id order by r.kind = 'record' desc, t.run) as place,
    count(*) over (partition by t.id) as copies
  from trajectories t join runs r on r.id = t.run
  where ${conditions}
)
select t.run, t.id, t.task_id, t.policy, t.model, t.started_at, t.duration_ms, t.step_count, t.prompt_tokens,
  t.completion_tokens, try_cast((t.usage ->> 'cachedTokens') as double), t.cost_usd, t.ending,
  coalesce(json_array_length(t.info -> '$.recorder.errors'), 0), (t.failure ->> 'code'), t.success, t.reward,
  o.success_low, o.success_high, o.score_low, o.score_high, t.copies
from found t left join outcomes o on o.run = t.run and o.trajectory = t.id
where t.place = 1 order by t.started_at desc nulls last, t.id`;

export async function listTraces(
  store: Store,
  filter: TraceFilter,
  prices: Prices,
  options: QueryOptions,
): Promise<Trace[]> {
  const conditions = [
    ...(filter.all === true ? [] : ["(r.kind in ('record', 'import') or (t.info -> 'recorder') is not null)"]),
    ...(filter.task === undefined ? [] : [`t.task_id = ${quote(filter.task)}`]),
    ...(filter.agent === undefined ? [] : [`t.policy = ${quote(filter.agent)}`]),
    ...(filter.model === undefined ? [] : [`t.model = ${quote(filter.model)}`]),
    ...(filter.since === undefined ? [] : [`t.started_at >= ${quote(filter.since)}`]),
  ];
  const { rows } = await store.query(QUERY(conditions.length === 0 ? "true" : conditions.join(" and ")), options);
  const traces: Trace[] = [];
  for (const row of rows) traces.push(await readRow(store, row, prices));
  return traces.filter(
    (trace) =>
      (filter.errors !== true || trace.errors > 0 || trace.failure !== null) &&
      (filter.outcome === undefined || filter.outcome === outcomeWord(trace)),
  );
}

/** "success" and "failure" are what somebody said; a score alone is neither. */
export function outcomeWord(trace: Pick<Trace, "success" | "score">): "success" | "failure" | "scored" | "none" {
  if (trace.success !== null) return trace.success ? "success" : "failure";
  return trace.score === null ? "none" : "scored";
}

async function readRow(store: Store, row: readonly unknown[], prices: Prices): Promise<Trace> {
  const text = (index: number): string | null => (typeof row[index] === "string" ? row[index] : null);
  const number = (index: number): number | null => (typeof row[index] === "number" ? row[index] : null);
  const [run, id, model] = [text(0) ?? "", text(1) ?? "", text(4)];
  const [promptTokens, completionTokens, cachedTokens] = [number(8), number(9), number(10)];
  const [successLow, successHigh, scoreLow, scoreHigh] = [number(17), number(18), number(19), number(20)];
  // Tables have no order, and the last word counts: where the words differ, the trajectory itself tells.
  const disputed = successLow !== successHigh || scoreLow !== scoreHigh;
  const said = disputed ? await lastWord(store, run, id) : undefined;
  const plainSuccess = successLow === null ? (typeof row[15] === "boolean" ? row[15] : null) : successLow >= 0.5;
  return {
    run,
    id,
    task: text(2) ?? "",
    agent: text(3) ?? "",
    model,
    startedAt: text(5),
    durationMs: number(6),
    steps: number(7) ?? 0,
    promptTokens,
    completionTokens,
    costUsd: number(11) ?? costOf(prices, model, { promptTokens, completionTokens, cachedTokens }),
    ending: text(12) ?? "",
    errors: number(13) ?? 0,
    failure: text(14),
    success: said === undefined ? plainSuccess : said.success,
    score: said === undefined ? (scoreLow ?? number(16)) : said.score,
    alsoIn: (number(21) ?? 1) - 1,
  };
}

async function lastWord(
  store: Store,
  run: string,
  id: string,
): Promise<{ success: boolean | null; score: number | null }> {
  for await (const trajectory of store.trajectories({ run, ids: [id] })) {
    const { success, reward } = outcomeOf(trajectory);
    return { success, score: scoreValue(reward) ?? null };
  }
  return { success: null, score: null };
}
