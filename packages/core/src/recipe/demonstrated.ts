/** Demonstrations of the tasks that an update has played, as episodes to imitate. */
import { byTask } from "limbeck-base/trajectory/rows";
import { hopelessGroups } from "../distill/quality-gate.ts";
import { crossEntropy } from "../objective/cross-entropy.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { measure, type UpdateContext } from "../update/context.ts";
import { learn } from "../update/learn.ts";
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

/** Whose tasks are shown beside an update's own episodes. */
export const SHOWN = ["none", "failed", "all"] as const;

/** A step towards the demonstrator's way through tasks of the update; none where the world has no demonstrator. */
export async function learnShown(
  update: UpdateContext,
  played: readonly Trajectory[],
  which: (typeof SHOWN)[number],
): Promise<void> {
  if (which === "none" || update.demonstrator === undefined) return;
  const wanted = which === "all" ? played : hopelessGroups(played).flatMap(({ trajectories }) => trajectories);
  const shown = await demonstrationsFor(update, wanted);
  const rows = shown.flatMap(({ id, streams }) => streams.map(({ ids, mask }) => ({ ids, mask, trajectory: id })));
  await learn(update, rows, { name: "demonstrations", weight: 1, objective: crossEntropy.create({}) });
}
