/** Flat views of trajectories: returns and groups. */
import { groupedBy } from "../base/grouped-by.ts";
import type { Group, Score, Trajectory } from "./trajectory.ts";

/**
 * Discounted return of each step: G_t = r_t + gamma * G_(t+1).
 * `after` is the value of what follows the last reward: 0 at a true end, an estimate where the episode was cut off.
 *
 * @example
 * console.log(discountedReturns([0, 0, 1], 0.5)); // Float64Array(3) [ 0.25, 0.5, 1 ]
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
 * console.log(byGroup(trajectories).map((group) => group.trajectories.length)); // [ 2, 2 ]
 */
export function byGroup(trajectories: Iterable<Trajectory>): Group[] {
  return toGroups(groupedBy(trajectories, (trajectory) => trajectory.group));
}

/**
 * Groups by task, in order of first appearance.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 2, group: 3 });
 * console.log(byTask(trajectories).map((task) => task.trajectories.length)); // [ 3, 3 ]
 */
export function byTask(trajectories: Iterable<Trajectory>): Group[] {
  return toGroups(groupedBy(trajectories, (trajectory) => trajectory.task.id));
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

function toGroups(groups: ReadonlyMap<string, readonly Trajectory[]>): Group[] {
  return [...groups].map(([id, trajectories]) => ({ id, trajectories }));
}
