/** Pages of the table of trajectories. DuckDB filters, sorts and counts; only the rows of the page come here. */
import type { z } from "zod";
import { quote } from "../../store/migrations.ts";
import type { Store } from "../../store/store.ts";
import type { facetsAnswer, trajectoriesQuery, TrajectoryItem, TrajectoryPage } from "../api/trajectories.ts";
import { dataOf, numberOr, textOr } from "../runs/cells.ts";
import { ofRuns } from "../runs/run-list.ts";

type Filters = z.output<typeof trajectoriesQuery>;

const GOAL_LETTERS = 300;

const COLUMNS = [
  "run",
  "id",
  "env",
  "task_id",
  `left(goal, ${GOAL_LETTERS})`,
  "task_data ->> 'family'",
  "split",
  "group_id",
  "success",
  "ending",
  "reward",
  "unscored",
  "step_count",
  "token_count",
  "policy",
  "policy_version",
  "info",
  "parent",
  "parent_step",
  "duration_ms",
  "cost_usd",
];

const SORTS: Readonly<Record<Filters["sort"], string>> = {
  stored: "place",
  reward: "reward",
  steps: "step_count",
  tokens: "token_count",
  update: "cast(info ->> 'update' as integer)",
};

/** Queries look at one run when only one is asked for: the store then opens nothing else. */
function scopeOf(runs: readonly string[] | undefined): { readonly run?: string; readonly skipBroken?: boolean } {
  const [only] = runs?.length === 1 ? runs : [];
  return only === undefined ? { skipBroken: true } : { run: only };
}

export async function listTrajectories(
  store: Store,
  filters: Filters,
  signal: AbortSignal,
): Promise<Omit<TrajectoryPage, "broken">> {
  const { offset, limit } = filters;
  const scope = { ...scopeOf(filters.run), signal };
  const where = conditionsOf(filters);
  const sort = SORTS[filters.sort];
  const order = `${sort} ${filters.order === "up" ? "asc" : "desc"} nulls last`;
  // First which rows, reading no more columns than the question needs; then what the page shows of them.
  const numbered = `(select *, row_number() over () as place from trajectories)`;
  const found = await store.query(
    `select place, run, id, count(*) over () from ${numbered} ${where}
     order by ${order}, place desc limit ${limit} offset ${offset}`,
    scope,
  );
  const total =
    found.rows.length > 0 ? Number(found.rows[0]?.[3]) : offset === 0 ? 0 : await countOf(store, where, scope);
  const trajectories = await itemsOf(
    store,
    found.rows.map(([, run, id]) => [String(run), String(id)] as const),
    scope,
  );
  return { offset, limit, total, trajectories };
}

async function countOf(store: Store, where: string, scope: object): Promise<number> {
  const { rows } = await store.query(`select count(*) from trajectories ${where}`, scope);
  return Number(rows[0]?.[0] ?? 0);
}

/** In the order asked for. */
async function itemsOf(
  store: Store,
  wanted: readonly (readonly [run: string, id: string])[],
  scope: object,
): Promise<TrajectoryItem[]> {
  if (wanted.length === 0) return [];
  const ids = wanted.map(([, id]) => id);
  const { rows } = await store.query(
    `select ${COLUMNS.join(", ")} from trajectories where id in (${ids.map(quote).join(", ")})`,
    { ...scope, around: ids },
  );
  const items = new Map(rows.map((row) => [keyOf(String(row[0]), String(row[1])), itemOf(row)]));
  return wanted.flatMap(([run, id]) => items.get(keyOf(run, id)) ?? []);
}

function keyOf(run: string, id: string): string {
  return `${run} ${id}`;
}

/** Rows of `COLUMNS`, in any order of a query. */
export const ITEM_COLUMNS = COLUMNS.join(", ");

export function itemOf(row: readonly unknown[]): TrajectoryItem {
  const info = (dataOf(row[16]) ?? {}) as Record<string, unknown>;
  const success = row[8];
  const parent = textOr(row[17]);
  return {
    run: String(row[0]),
    id: String(row[1]),
    env: String(row[2]),
    task: String(row[3]),
    goal: String(row[4] ?? ""),
    family: textOr(row[5]),
    split: String(row[6] ?? ""),
    group: String(row[7]),
    outcome: success === true ? "success" : success === false ? "failure" : "unknown",
    ending: row[9] as TrajectoryItem["ending"],
    reward: numberOr(row[10]),
    unscored: textOr(row[11]),
    steps: Number(row[12]),
    tokens: Number(row[13] ?? 0),
    policy: String(row[14] ?? ""),
    policyVersion: numberOr(row[15]),
    phase: typeof info["phase"] === "string" ? info["phase"] : null,
    update: typeof info["update"] === "number" ? info["update"] : null,
    parent: parent === null ? null : { trajectory: parent, step: Number(row[18]) },
    durationMs: numberOr(row[19]),
    costUsd: numberOr(row[20]),
  };
}

function conditionsOf(filters: Filters): string {
  const conditions: string[] = [];
  const equal = (column: string, value: string | undefined): void => {
    if (value !== undefined) conditions.push(`${column} = ${quote(value)}`);
  };
  const bound = (column: string, sign: string, value: number | undefined): void => {
    if (value !== undefined) conditions.push(`${column} ${sign} ${value}`);
  };
  if (filters.run !== undefined && filters.run.length > 1) conditions.push(ofRuns(filters.run));
  equal("env", filters.env);
  equal("ending", filters.ending);
  equal("group_id", filters.group);
  equal("task_id", filters.task);
  if (filters.outcome === "unknown") conditions.push("success is null");
  else if (filters.outcome !== undefined) conditions.push(filters.outcome === "success" ? "success" : "not success");
  bound("step_count", ">=", filters.minSteps);
  bound("step_count", "<=", filters.maxSteps);
  bound("reward", ">=", filters.minReward);
  bound("reward", "<=", filters.maxReward);
  if (filters.family !== undefined) {
    conditions.push(`(task_data ->> 'family') in (${["NULL", ...filters.family.map(quote)].join(", ")})`);
  }
  if (filters.phase === "train") conditions.push("coalesce(info ->> 'phase', 'train') = 'train'");
  else equal("(info ->> 'phase')", filters.phase);
  if (filters.update !== undefined) conditions.push(`cast(info ->> 'update' as integer) = ${filters.update}`);
  for (const word of wordsOf(filters.search)) {
    conditions.push(`(contains(lower(goal), ${word}) or contains(lower(id), ${word}))`);
  }
  const spoken = wordsOf(filters.text).map(
    (word) => `(contains(lower(observation), ${word}) or contains(lower(action), ${word}))`,
  );
  if (spoken.length > 0) {
    conditions.push(`(run, id) in (select (run, trajectory) from steps where ${spoken.join(" and ")})`);
  }
  return conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
}

function wordsOf(text: string | undefined): string[] {
  return (text ?? "")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(quote);
}

export async function readFacets(
  store: Store,
  runs: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<z.input<typeof facetsAnswer>> {
  const where = runs !== undefined && runs.length > 1 ? `where ${ofRuns(runs)}` : "";
  const { rows } = await store.query(
    `with told as (
       select env, task_data ->> 'family' as family, success, ending, info ->> 'phase' as phase, step_count,
         cast(info ->> 'update' as integer) as update_number
       from trajectories ${where}
     )
     select 'env', env, count(*) from told group by env
     union all select 'family', family, count(*) from told where family is not null group by family
     union all select 'outcome', case success when true then 'success' when false then 'failure' else 'unknown' end,
       count(*) from told group by success
     union all select 'ending', ending, count(*) from told group by ending
     union all select 'phase', phase, count(*) from told where phase is not null group by phase
     union all select 'maxSteps', null, coalesce(max(step_count), 0) from told
     union all select 'first', null, min(update_number) from told
     union all select 'last', null, max(update_number) from told`,
    { ...scopeOf(runs), signal },
  );
  const counts = (kind: string): { value: string; count: number }[] =>
    rows
      .filter((row) => row[0] === kind)
      .map((row) => ({ value: String(row[1]), count: Number(row[2]) }))
      .sort((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1));
  const number = (kind: string): number | null => numberOr(rows.find((row) => row[0] === kind)?.[2]);
  const [first, last] = [number("first"), number("last")];
  return {
    envs: counts("env"),
    families: counts("family"),
    outcomes: counts("outcome"),
    endings: counts("ending"),
    phases: counts("phase"),
    maxSteps: number("maxSteps") ?? 0,
    updates: first === null || last === null ? null : { first, last },
  };
}
