/** What was recorded, one row for each trajectory, from the store's views; each id once, wherever it is stored. */
import { z } from "zod";
import { parseDuration } from "limbeck-base/base/duration";
import { givenData } from "limbeck-base/base/given-file";
import { groupedBy } from "limbeck-base/base/grouped-by";
import { sum } from "limbeck-base/base/statistics/summary";
import { quote } from "../store/migrations.ts";
import type { QueryOptions, Store } from "../store/store.ts";
import { readStore } from "../store/with-store.ts";
import { rootId } from "./stored.ts";
import { addSteps, sessionFacts, type SessionFacts } from "./summary/session-facts.ts";
import { summarise } from "./summary/summary.ts";
import type { Total, Trace, TraceContext, TraceInput } from "./traces.inputs.ts";

const price = z.number().nonnegative();
/** US dollars for a million tokens, by model; from a file of the user, because prices change often. */
const PricesFile = z.record(z.string(), z.strictObject({ input: price, output: price, cached: price.exactOptional() }));
type Prices = z.output<typeof PricesFile>;
const SHAPE = '{"MODEL": {"input": 1.25, "output": 10, "cached": 0.125}}, in US dollars for a million tokens';

/** Lists them, or sums up what happened in them. */
export async function readTraces(input: TraceInput, context: TraceContext): Promise<void> {
  const { what, limit = what === undefined ? 50 : 10 } = input;
  const { emit, show } = context;
  const since = input.since === undefined ? undefined : startOf(input.since);
  const file = { schema: PricesFile, shape: SHAPE };
  const prices = input.prices === undefined ? {} : await givenData(context, input.prices, "the prices", file);
  await readStore(input, context, async (store, scope) => {
    const found = await findTraces(store, { ...input, since }, prices, scope);
    if (what === undefined) {
      const total = totalOf(found);
      found.slice(0, limit).forEach((trace) => emit(trace));
      emit({ event: "total", ...total });
      return show.traces(found, limit, total, store.root);
    }
    const summary = summarise(await readFacts(store, found), costsOf(found));
    const sides = ({ success: successes, failure: failures }: { success: number; failure: number }) => ({
      successes,
      failures,
    });
    for (const side of summary.outcomes) emit({ event: "outcome", evidence: side.evidence, ...sides(side) });
    for (const loop of summary.loops) emit({ event: "loop", ...loop });
    for (const tool of summary.tools) emit({ event: "tool", ...tool });
    for (const { success, failure, ...kind } of summary.kinds)
      emit({ event: "kind", ...kind, ...sides({ success, failure }) });
    for (const parting of summary.partings) emit({ event: "parting", ...parting });
    const { sessions, parts, unknown, wordsCheck = null } = summary;
    emit({ event: "summary", sessions, parts, unknown, wordsCheck });
    show.summary(summary, limit, store.root);
  });
}

/** A length of time before now, or a date. */
function startOf(text: string): string {
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return new Date(Number.isNaN(date) ? Date.now() - parseDuration(text, "since") : date).toISOString();
}

const QUERY = (conditions: readonly string[]): string => `
with found as (
  select t.*, r.kind = 'record' as is_record,
    row_number() over (partition by t.id order by r.kind = 'record' desc, t.run) as place,
    count(*) over (partition by t.id) as copies
  from trajectories t join runs r on r.id = t.run
  where ${["true", ...conditions].join(" and ")}
)
select t.run, t.id, t.task_id as task, t.policy as agent, t.model, t.started_at as "startedAt",
  t.duration_ms as "durationMs", t.step_count as steps, t.prompt_tokens as "promptTokens",
  t.completion_tokens as "completionTokens", t.cost_usd as "costUsd", t.ending,
  coalesce(json_array_length(t.info -> '$.recorder.errors'), 0) as errors, (t.failure ->> 'code') as failure,
  t.success, t.reward as score, t.copies - 1 as "alsoIn",
  (t.usage ->> 'cachedTokens') as cached
from found t
where t.place = 1 order by t.started_at desc nulls last, t.id`;

async function findTraces(
  store: Store,
  filter: Pick<TraceInput, "task" | "agent" | "model" | "since" | "outcome" | "errors" | "all">,
  prices: Prices,
  options: QueryOptions,
): Promise<Trace[]> {
  const equals = { "t.task_id": filter.task, "t.policy": filter.agent, "t.model": filter.model };
  const { columns, rows } = await store.query(
    QUERY([
      ...(filter.all ? [] : ["(r.kind in ('record', 'import') or (t.info -> 'recorder') is not null)"]),
      ...Object.entries(equals).flatMap(([name, value]) => (value === undefined ? [] : [`${name} = ${quote(value)}`])),
      ...(filter.since === undefined ? [] : [`t.started_at >= ${quote(filter.since)}`]),
    ]),
    { ...options, trusted: true },
  );
  const all = rows.map((row): Trace => {
    const named = Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null]));
    const { cached, ...trace } = named as unknown as Trace & { readonly cached: unknown };
    return { ...trace, costUsd: trace.costUsd ?? costOf(prices, trace, Number(cached) || 0) };
  });
  return all.filter(
    (trace) =>
      (!filter.errors || trace.errors > 0 || trace.failure !== null) &&
      (filter.outcome === undefined || filter.outcome === outcomeWord(trace)),
  );
}

/** Null where the model has no price or nothing was counted. Cached tokens are part of the prompt. */
function costOf(prices: Prices, { model, promptTokens, completionTokens }: Trace, kept: number): number | null {
  const own = model === null ? undefined : prices[model];
  if (own === undefined || (promptTokens === null && completionTokens === null)) return null;
  const read = (promptTokens ?? 0) - kept;
  return (read * own.input + kept * (own.cached ?? own.input) + (completionTokens ?? 0) * own.output) / 1e6;
}

/** "success" and "failure" are judgements; a score alone is neither. */
export function outcomeWord(trace: Pick<Trace, "success" | "score">): "success" | "failure" | "scored" | "none" {
  if (trace.success !== null) return trace.success ? "success" : "failure";
  return trace.score === null ? "none" : "scored";
}

function totalOf(found: readonly Trace[]): Total {
  const total = (of: (trace: Trace) => number | boolean | null): number => sum(found.map((trace) => Number(of(trace))));
  return {
    trajectories: found.length,
    steps: total((trace) => trace.steps),
    promptTokens: total((trace) => trace.promptTokens),
    completionTokens: total((trace) => trace.completionTokens),
    costUsd: total((trace) => trace.costUsd),
    unpriced: total((trace) => trace.costUsd === null),
    withErrors: total((trace) => trace.errors > 0 || trace.failure !== null),
    withoutOutcome: total((trace) => outcomeWord(trace) === "none"),
  };
}

const rootOf = (id: string): string => rootId({ id, parent: { trajectory: id, step: 0 } });

async function readFacts(store: Store, found: readonly Trace[]): Promise<SessionFacts[]> {
  const all = new Map<string, SessionFacts>();
  for (const [run, traces] of groupedBy(found, (trace) => trace.run)) {
    const wanted = new Set(traces.map(({ id }) => id));
    for await (const trajectory of store.trajectories({ run })) {
      if (!wanted.has(trajectory.id)) continue;
      const root = rootId(trajectory);
      const before = all.get(root);
      if (before === undefined) all.set(root, sessionFacts(trajectory, run));
      else addSteps(before, trajectory);
    }
  }
  return [...all.values()];
}

function costsOf(found: readonly Trace[]): Map<string, number> {
  const costs = new Map<string, number>();
  for (const { id, costUsd } of found) {
    if (costUsd !== null) costs.set(rootOf(id), (costs.get(rootOf(id)) ?? 0) + costUsd);
  }
  return costs;
}
