/** Demonstrations of the tasks that an update has played, as episodes to imitate. */
import { byTask } from "limbeck-base/trajectory/rows";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { measure, type UpdateContext } from "../update/context.ts";
import { solve } from "../update/solve.ts";
import { playPlans } from "../update/play-told.ts";

export interface Solved {
  readonly task: Task;
  readonly plan: readonly string[];
}

/** The demonstrator's solution of every task; tasks that it fails are counted and left out. */
export async function solvedTasks(update: UpdateContext, played: readonly Trajectory[]): Promise<Solved[]> {
  const solved: Solved[] = [];
  let failed = 0;
  for (const { trajectories } of byTask(played)) {
    const task = trajectories[0]?.task;
    const plan = task === undefined ? undefined : (await solve(update, task))?.plan;
    if (task !== undefined && plan !== undefined) solved.push({ task, plan });
    else failed += 1;
  }
  measure(update, { "demonstrator/solved": solved.length, "demonstrator/failed": failed });
  return solved;
}

/** One episode for each task, every word of it to be learned. */
export async function demonstrationsFor(
  update: UpdateContext,
  played: readonly Trajectory[],
): Promise<readonly Trajectory[]> {
  const solved = await solvedTasks(update, played);
  return await playPlans(
    update,
    solved.map(({ task, plan }) => ({ task, actions: plan })),
  );
}
