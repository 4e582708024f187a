/** The tasks that were played before and after a training, each with both outcomes. */
import { createRng } from "limbeck-base/base/rng";
import { pairedBootstrap } from "limbeck-base/base/statistics/bootstrap";
import type { Store } from "../store/store.ts";

interface Outcome {
  readonly trajectory: string;
  readonly success: boolean;
}

export interface Pair {
  readonly task: string;
  readonly goal: string;
  /** What the world calls this kind of task, where it says so. */
  readonly family: string | undefined;
  readonly before: Outcome;
  readonly after: Outcome;
}

/** In the order in which the tasks were played. A task whose episode was lost, before or after, is no pair. */
export async function readPairs(store: Store, run: string): Promise<Pair[]> {
  const { rows } = await store.query(
    `select task_id, goal, task_data ->> 'family', info ->> 'phase', id, success
     from trajectories where (info ->> 'phase') in ('before', 'after')
       and ending <> 'failed' and (success is not null or reward is not null)`,
    { run, trusted: true },
  );
  const played = (phase: string): Map<string, readonly unknown[]> =>
    new Map(rows.filter((row) => row[3] === phase).map((row) => [String(row[0]), row]));
  const after = played("after");
  const outcome = (row: readonly unknown[]): Outcome => ({ trajectory: String(row[4]), success: row[5] === true });
  return [...played("before")].flatMap(([task, first]) => {
    const last = after.get(task);
    if (last === undefined) return [];
    const family = typeof first[2] === "string" ? first[2] : undefined;
    return [{ task, goal: String(first[1]), family, before: outcome(first), after: outcome(last) }];
  });
}

export interface Moved {
  /** Solved now and not before, before and not now, both times, neither time. */
  readonly gained: number;
  readonly lost: number;
  readonly kept: number;
  readonly never: number;
}

export function movedOf(pairs: readonly Pair[]): Moved {
  const of = (before: boolean, after: boolean): number =>
    pairs.filter((pair) => pair.before.success === before && pair.after.success === after).length;
  return { gained: of(false, true), lost: of(true, false), kept: of(true, true), never: of(false, false) };
}

export interface Difference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  readonly tasks: number;
}

/** Mean of the left outcomes minus that of the right ones, with a 95% interval over the tasks. */
export function differenceOf(outcomes: readonly (readonly [left: boolean, right: boolean])[]): Difference | undefined {
  if (outcomes.length === 0) return undefined;
  const [left, right] = [outcomes.map(([one]) => Number(one)), outcomes.map(([, other]) => Number(other))];
  // A fixed seed: the same run gives the same report.
  return { ...pairedBootstrap(left, right, { rng: createRng("report") }), tasks: outcomes.length };
}
