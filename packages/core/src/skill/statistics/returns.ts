/** Returns of the steps of a trajectory, for statistics over states. */
import { discountedReturns } from "limbeck-base/trajectory/rows";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

/** Undefined where nothing was scored: an unscored episode says nothing about its steps. */
export function stepReturns(trajectory: Trajectory, gamma: number): Float64Array | undefined {
  const scores = trajectory.steps.map(({ reward }) => scoreValue(reward));
  const total = scoreValue(trajectory.reward);
  if (total === undefined && scores.every((value) => value === undefined)) return undefined;
  const rewards = scores.map((value) => value ?? 0);
  const last = rewards.length - 1;
  // What was given for the whole episode and for no step counts as given at its end.
  if (total !== undefined && last >= 0 && trajectory.parent === undefined) {
    const rest = total - rewards.reduce((sum, value) => sum + value, 0);
    rewards[last] = (rewards[last] as number) + rest;
  }
  return discountedReturns(rewards, gamma);
}
