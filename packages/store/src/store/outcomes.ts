/**
 * Outcomes that came after their trajectories were stored. A reward of the whole trajectory that was added later under a
 * name of `OUTCOME_REWARDS` goes before the outcome it was stored with, and the last word counts. The view
 * `trajectories`, the list and every condition read through the selects of this file; `encode.ts` does the same to whole
 * trajectories with `outcomeOf`, whose rule this is.
 */
import { OUTCOME_REWARDS } from "limbeck-base/trajectory/outcome";
import type { Part } from "./commit-format.ts";
import type { Files } from "./files.ts";
import { orderedSelect, quote, type Located, type Schema } from "./migrations.ts";
import { segmentLocations, type RunSnapshot } from "./snapshot.ts";

/** Trajectories of some parts of a run; their later rewards may stand in any part of it. */
export interface Stretch {
  readonly snapshot: RunSnapshot;
  readonly parts: readonly Part[];
  /** So many trajectories at the beginning are left out. */
  readonly skip: number;
}

/** Trajectories with their outcomes, in stored order. A run to which nothing was added later costs nothing more. */
export function trajectoriesSelect(files: Files, schema: Schema, stretches: readonly Stretch[]): string {
  const selects: string[] = [];
  let plain: Located[] = [];
  const endPlain = (): void => {
    if (plain.length > 0) selects.push(orderedSelect(schema, "trajectories", plain));
    plain = [];
  };
  for (const { snapshot, parts, skip } of stretches) {
    const segments = segmentLocations(files, snapshot.file.id, parts, "trajectories");
    if (segments.length === 0) continue;
    const later = laterSelect(files, schema, snapshot);
    if (later === undefined && skip === 0) {
      for (const segment of segments) plain.push(segment);
      continue;
    }
    endPlain();
    const select = `select * from (${orderedSelect(schema, "trajectories", segments)}) offset ${skip}`;
    selects.push(later === undefined ? select : inOrder(select, later));
  }
  endPlain();
  const [only, ...more] = selects;
  if (more.length === 0) return only ?? orderedSelect(schema, "trajectories", []);
  return selects.map((select) => `select * from (${select})`).join(" union all ");
}

/** Rewards that were added later, of the whole run, in commit order; undefined when there are none. */
export function laterSelect(files: Files, schema: Schema, { file, fold }: RunSnapshot): string | undefined {
  const segments = segmentLocations(files, file.id, fold.parts, "later_rewards");
  return segments.length === 0 ? undefined : orderedSelect(schema, "later_rewards", segments);
}

/** The rows of a select over trajectories of one run with their outcomes in place, in any order. */
export function withOutcomes(trajectories: string, later: string): string {
  return `select told.* replace (${assignments("told")
    .map(([column, value]) => `${value} as ${column}`)
    .join(", ")})
    from (${trajectories}) told left join (${outcomes(later)}) said on said.trajectory = told.id`;
}

/** Brings rows of a table up to date that has the columns of trajectories and holds them with their earlier outcomes. */
export function outcomesUpdate(table: string, run: string, later: string): string {
  return `update ${table} set ${assignments(table)
    .map(([column, value]) => `${column} = ${value}`)
    .join(", ")}
    from (${outcomes(later)}) said where ${table}.run = ${quote(run)} and ${table}.id = said.trajectory`;
}

function assignments(table: string): [column: string, value: string][] {
  return [
    ["success", `coalesce(said.success, ${table}.success)`],
    ["reward", `coalesce(said.score, ${table}.reward)`],
    ["unscored", `case when said.score is null then ${table}.unscored end`],
  ];
}

/** One row for each trajectory: its last success and its last score, NULL where there is none. */
function outcomes(later: string): string {
  const [success, score] = [quote(OUTCOME_REWARDS.success), quote(OUTCOME_REWARDS.score)];
  // Between, because DuckDB holds NaN for the largest number, and what is not a number is no success.
  return `select trajectory,
      arg_max(value, _place) filter (name = ${success}) between 0.5 and 'infinity'::double as success,
      arg_max(value, _place) filter (name = ${score}) as score
    from (select *, row_number() over () as _place from (${later}))
    where step is null and value is not null and name in (${success}, ${score}) group by trajectory`;
}

/** A join gives its rows in any order. */
function inOrder(trajectories: string, later: string): string {
  const placed = `select *, row_number() over () as _place from (${trajectories})`;
  return `select * exclude (_place) from (${withOutcomes(placed, later)}) order by _place`;
}
