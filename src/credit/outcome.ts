/** The outcome part that most methods begin with: scores of step rows against their task's group. */
import type { IndexedBatch } from "./credit.ts";
import { groupAdvantages, type GroupAdvantages, type GroupOptions } from "./group-advantages.ts";
import { firstSteps } from "./scores.ts";

export interface OutcomeOptions extends Omit<GroupOptions, "counted"> {
  readonly countTrajectoryOnce: boolean;
}

/**
 * Statistics are over step rows, as in the published code, so a long trajectory weighs more in its group's mean;
 * `countTrajectoryOnce` lets only the first step of each count.
 */
export function outcomeAdvantages(batch: IndexedBatch, scores: Float64Array, options: OutcomeOptions): GroupAdvantages {
  const groups = { of: batch.index.taskOf, count: batch.index.tasks };
  const { countTrajectoryOnce, ...rest } = options;
  return groupAdvantages(scores, groups, countTrajectoryOnce ? { ...rest, counted: firstSteps(batch) } : rest);
}
