/** Pages of the table of trajectories. The store's list filters, sorts and counts; only the rows of the page come here. */
import type { z } from "zod";
import { quote } from "limbeck-store/store/migrations";
import type { Store } from "limbeck-store/store/store";
import type { facetsAnswer, trajectoriesQuery, TrajectoryItem, TrajectoryPage } from "../api/trajectories.ts";
import { numberOr, outcomeOr, textOr } from "../runs/cells.ts";

type Filters = z.output<typeof trajectoriesQuery>;

/** What an item shows: its columns of the list, and how the cells are read. */
const ITEM: Readonly<Record<keyof TrajectoryItem, readonly [column: string, read: (cell: unknown) => unknown]>> = {
  run: ["run", String],
  id: ["id", String],
  env: ["env", String],
  task: ["task_id", String],
  goal: ["goal", (cell) => textOr(cell) ?? ""],
  family: ["family", textOr],
  split: ["split", (cell) => textOr(cell) ?? ""],
  group: ["group_id", String],
  outcome: ["success", outcomeOr],
  ending: ["ending", String],
  reward: ["reward", numberOr],
  unscored: ["unscored", textOr],
  steps: ["step_count", Number],
  sampled: ["completion_tokens", numberOr],
  tokens: ["nullif(token_count, 0)", numberOr],
  policy: ["policy", (cell) => textOr(cell) ?? ""],
  policyVersion: ["policy_version", numberOr],
  phase: ["phase", textOr],
  update: ["update_number", numberOr],
  parent: ["parent", textOr],
  durationMs: ["duration_ms", numberOr],
  costUsd: ["cost_usd", numberOr],
};
const FIELDS = Object.entries(ITEM);

/** `itemOf` reads rows of these. */
export const ITEM_COLUMNS = [...FIELDS.map(([, [column]]) => column), "parent_step"].join(", ");

const SORTS: Readonly<Record<Filters["sort"], string>> = {
  stored: "stored",
  reward: "reward",
  steps: "step_count",
  tokens: "coalesce(completion_tokens, token_count)",
  update: "update_number",
};

/** Where only one run is asked for, no other is looked at. */
function scopeOf(runs: readonly string[] | undefined): { readonly run?: string } {
  const [only] = runs?.length === 1 ? runs : [];
  return only === undefined ? {} : { run: only };
}

export async function listTrajectories(
  store: Store,
  filters: Filters,
  signal: AbortSignal,
): Promise<Omit<TrajectoryPage, "broken">> {
  const { offset, limit, sort } = filters;
  const scope = { ...scopeOf(filters.run), signal };
  const where = whereOf([...conditionsOf(filters), ...(await spokenIn(store, filters, signal))]);
  const direction = filters.order === "up" ? "asc" : "desc";
  const order = `${SORTS[sort]} ${direction} nulls last, ${sort === "stored" ? "run" : "stored desc, run"}`;
  // Which rows, before what they say: to sort whole rows would take several times as long.
  const chosen = `select rowid from listed ${where} order by ${order} limit ${limit} offset ${offset}`;
  const { rows } = await store.list(
    `select ${ITEM_COLUMNS}, (select count(*) from listed ${where}) from listed where rowid in (${chosen}) order by ${order}`,
    scope,
  );
  const beyond = rows.length === 0 && offset > 0;
  const counted = beyond ? await store.list(`select count(*) from listed ${where}`, scope) : { rows };
  return { offset, limit, total: Number(counted.rows[0]?.at(-1) ?? 0), trajectories: rows.map(itemOf) };
}

export function itemOf(row: readonly unknown[]): TrajectoryItem {
  const cells = FIELDS.map(([name, [, read]], at) => [name, read(row[at])]);
  const { parent, ...item } = Object.fromEntries(cells) as Omit<TrajectoryItem, "parent"> & { parent: string | null };
  return { ...item, parent: parent === null ? null : { trajectory: parent, step: Number(row[FIELDS.length]) } };
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
}

function ofRuns(runs: readonly string[] | undefined): string[] {
  return runs === undefined ? [] : [`run in (${["NULL", ...runs.map(quote)].join(", ")})`];
}

function conditionsOf(filters: Filters): string[] {
  const equal = (column: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`${column} = ${quote(value)}`];
  const bound = (condition: string, value: number | undefined): string[] =>
    value === undefined ? [] : [`${condition} ${value}`];
  const { outcome, family, phase } = filters;
  return [
    ...ofRuns(filters.run),
    ...equal("env", filters.env),
    ...equal("ending", filters.ending),
    ...equal("group_id", filters.group),
    ...equal("task_id", filters.task),
    ...(outcome === undefined
      ? []
      : [{ success: "success", failure: "not success", unknown: "success is null" }[outcome]]),
    ...bound("step_count >=", filters.minSteps),
    ...bound("step_count <=", filters.maxSteps),
    ...bound("reward >=", filters.minReward),
    ...bound("reward <=", filters.maxReward),
    ...bound("update_number =", filters.update),
    ...(family === undefined ? [] : [`family in (${["NULL", ...family.map(quote)].join(", ")})`]),
    ...(phase === "train" ? ["coalesce(phase, 'train') = 'train'"] : equal("phase", phase)),
    ...wordsOf(filters.search).map((word) => `(contains(lower(goal), ${word}) or contains(lower(id), ${word}))`),
  ];
}

/** Found in the steps first, since the list does not hold their text; no more than this many are looked for. */
const SPOKEN = 5_000;

async function spokenIn(store: Store, { text, run }: Filters, signal: AbortSignal): Promise<string[]> {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  const said = words.map((word) => `(contains(lower(observation), ${word}) or contains(lower(action), ${word}))`);
  const { rows } = await store.query(
    `select run, trajectory from steps ${whereOf([...ofRuns(run), ...said])} group by run, trajectory limit ${SPOKEN}`,
    { ...(run?.length === 1 ? scopeOf(run) : { skipBroken: true }), signal },
  );
  const pairs = rows.map(([one, id]) => `(${quote(String(one))}, ${quote(String(id))})`);
  return [pairs.length === 0 ? "false" : `(run, id) in (values ${pairs.join(", ")})`];
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
  const { rows } = await store.list(
    `with told as (select * from listed ${whereOf(ofRuns(runs))})
     select 'env', env, count(*) from told group by env
     union all select 'family', family, count(*) from told where family is not null group by family
     union all select 'outcome', case success when true then 'success' when false then 'failure' else 'unknown' end,
       count(*) from told group by success
     union all select 'ending', ending, count(*) from told group by ending
     union all select 'phase', coalesce(phase, 'train'), count(*) from told group by coalesce(phase, 'train')
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
