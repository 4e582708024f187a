/** The least rounds known to solve a task. It only tightens: a worse batch never loosens what was reached before. */
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { References } from "./reward.ts";

/** The references before a batch, tightened by its successes. */
export function tighten(
  before: References | undefined,
  batch: readonly Trajectory[],
  rounds: (trajectory: Trajectory) => number | undefined,
): References {
  const after = new Map(before);
  for (const trajectory of batch) {
    const count = trajectory.success === true ? rounds(trajectory) : undefined;
    if (count === undefined) continue;
    after.set(trajectory.task.id, Math.min(count, after.get(trajectory.task.id) ?? Number.POSITIVE_INFINITY));
  }
  return after;
}

/** Steps of the whole episode; a branch goes on counting from its parent. */
export function episodeLength({ steps, parent }: Trajectory): number {
  return (parent?.step ?? 0) + steps.length;
}
