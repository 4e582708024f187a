/** Demonstrations of the tasks that an update has played, as episodes to imitate. */
import { option } from "limbeck-base/base/option";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import { shuffle } from "limbeck-base/base/rng";
import { byTask } from "limbeck-base/trajectory/rows";
import { hopelessGroups } from "../distill/quality-gate.ts";
import { crossEntropy } from "../objective/cross-entropy.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Objective } from "limbeck-policy/policy/objective";
import { drawsOf, keep, measure, type UpdateContext } from "../update/context.ts";
import { keptRows, rowToJson } from "./kept-rows.ts";
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

/** What is shown beside an update's own episodes. */
export const shownSettings = {
  demonstrations: option.choice(
    "none",
    ["none", "failed", "all"],
    "tasks whose demonstration is imitated after the step of the policy loss, where the world has a demonstrator; failed: those of the update that no episode solved",
  ),
  demonstrationSteps: option.count(4, "steps of the optimiser on demonstrations, each on 16 of the newest 128"),
} as const satisfies OptionTable;

type ShownSettings = OptionValues<typeof shownSettings>;

/** Demonstrations that are kept for later updates, the newest. */
const MOST_KEPT = 128;
/** Of one step. */
const BATCH = 16;

/**
 * Steps towards the demonstrator's way through tasks of this update and of those before. Each word counts by how likely
 * the policy finds it: what it cannot know, as where a search begins, is hardly learnt. So do one-token rollouts on
 * average; here nothing is drawn, and no pass beside the learner's own reads the rows. Nothing where the world has no
 * demonstrator.
 */
export async function learnShown(
  update: UpdateContext,
  played: readonly Trajectory[],
  { demonstrations, demonstrationSteps }: ShownSettings,
): Promise<void> {
  if (demonstrations === "none" || update.demonstrator === undefined) return;
  const failed = hopelessGroups(played).flatMap(({ trajectories }) => trajectories);
  const shown = await demonstrationsFor(update, demonstrations === "all" ? played : failed);
  const { contextLength } = update.model.config;
  const fresh = shown.flatMap(({ id, streams }) =>
    streams.flatMap(({ ids, mask }) => (ids.length <= contextLength ? [{ ids, mask, trajectory: id }] : [])),
  );
  const kept = [...keptRows(update.kept, "shown"), ...fresh].slice(-MOST_KEPT);
  keep(update, { ...update.record.kept, shown: kept.map(rowToJson) });
  for (let step = 0; step < demonstrationSteps; step += 1) {
    const rows = shuffle(kept, drawsOf(update, `shown ${step}`)).slice(0, BATCH);
    await learn(update, rows, { name: "demonstrations", weight: 1, objective: byLikelihood });
  }
}

const imitation = crossEntropy.create({});
/** Cross-entropy in which each word weighs its present probability, through which no gradient goes. */
const byLikelihood: Objective = {
  needs: imitation.needs,
  compute: (live, frozen, rows) => {
    const weights = (at: number): Float64Array => Float64Array.from(live.logprob?.[at] ?? [], Math.exp);
    return imitation.compute(live, frozen, rows.map((row, at) => ({ ...row, weights: weights(at) }))); // prettier-ignore
  },
};
