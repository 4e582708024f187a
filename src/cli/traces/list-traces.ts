/** What was recorded, one row for each trajectory, from the store's views; each id once, wherever it is stored. */
import { quote } from "../../store/migrations.ts";
import type { QueryOptions, Store } from "../../store/store.ts";
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
with found as (
  select t.*, r.kind = 'record' as is_record,
    row_number() over (partition by t.id order by r.kind = 'record' desc, t.run) as place,
    count(*) over (partition by t.id) as copies
  from trajectories t join runs r on r.id = t.run
  where ${conditions}
)
select t.run, t.id, t.task_id, t.policy, t.model, t.started_at, t.duration_ms, t.step_count, t.prompt_tokens,
  t.completion_tokens, try_cast((t.usage ->> 'cachedTokens') as double), t.cost_usd, t.ending,
  coalesce(json_array_length(t.info -> '$.recorder.errors'), 0), (t.failure ->> 'code'), t.success, t.reward, t.copies
from found t
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
  return rows
    .map((row) => readRow(row, prices))
    .filter(
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

function readRow(row: readonly unknown[], prices: Prices): Trace {
  const text = (index: number): string | null => (typeof row[index] === "string" ? row[index] : null);
  const number = (index: number): number | null => (typeof row[index] === "number" ? row[index] : null);
  const [run, id, model] = [text(0) ?? "", text(1) ?? "", text(4)];
  const [promptTokens, completionTokens, cachedTokens] = [number(8), number(9), number(10)];
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
    success: typeof row[15] === "boolean" ? row[15] : null,
    score: number(16),
    alsoIn: (number(17) ?? 1) - 1,
  };
}
