/** Flat views of trajectories: step rows, returns and groups. */
import type { Group, Score, Step, Trajectory } from "./trajectory.ts";

/** One step with the trajectory it belongs to; what credit and skills work on. */
export interface StepRow {
  readonly trajectory: Trajectory;
  readonly step: Step;
}

/** Step rows of all trajectories, in order. A branch contributes only its own steps, so no step counts twice. */
export function stepRows(trajectories: Iterable<Trajectory>): StepRow[] {
  const rows: StepRow[] = [];
  for (const trajectory of trajectories) for (const step of trajectory.steps) rows.push({ trajectory, step });
  return rows;
}

/**
 * Discounted return of each step: G_t = r_t + gamma * G_(t+1).
 * `after` is the value of what follows the last reward: 0 at a true end, an estimate where the episode was cut off.
 */
export function discountedReturns(rewards: ArrayLike<number>, gamma: number, after = 0): Float64Array {
  const returns = new Float64Array(rewards.length);
  let later = after;
  for (let index = rewards.length - 1; index >= 0; index -= 1) {
    later = (rewards[index] as number) + gamma * later;
    returns[index] = later;
  }
  return returns;
}

/**
 * Groups by the trajectories' own group id, in order of first appearance.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 2, group: 2 });
 * console.log(byGroup(trajectories).map((group) => group.trajectories.length)); // 2, 2
 */
export function byGroup(trajectories: Iterable<Trajectory>): Group[] {
  return toGroups(collect(trajectories, (trajectory) => trajectory.group));
}

/** Groups by task, in order of first appearance. */
export function byTask(trajectories: Iterable<Trajectory>): Group[] {
  return toGroups(collect(trajectories, (trajectory) => trajectory.task.id));
}

/** Step rows that share a state, within one task: equal keys of different tasks are different states. */
export function byState(rows: Iterable<StepRow>): StepRow[][] {
  const tasks = collect(rows, (row) => row.trajectory.task.id);
  return [...tasks.values()].flatMap((members) => [...collect(members, (row) => row.step.stateKey).values()]);
}

/** Sum of the scored values; unscored when nothing was scored. */
export function totalScore(scores: Iterable<Score>): Score {
  let total = 0;
  let why = "there is no score";
  let any = false;
  for (const score of scores) {
    if (score.kind === "scored") {
      total += score.value;
      any = true;
    } else why = score.why;
  }
  return any ? { kind: "scored", value: total } : { kind: "unscored", why };
}

function collect<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

function toGroups(groups: ReadonlyMap<string, readonly Trajectory[]>): Group[] {
  return [...groups].map(([id, trajectories]) => ({ id, trajectories }));
}
