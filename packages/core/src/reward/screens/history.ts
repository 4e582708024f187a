/** One line for each update of a run, for screens that look at trends. */
import { mean } from "limbeck-base/base/statistics/summary";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

export interface UpdateSummary {
  readonly update: number;
  /** Mean of the scored rewards; null when none was scored. */
  readonly meanReward: number | null;
  /** Share of successes among those of which it is known; null when of none. */
  readonly successRate: number | null;
}

/**
 * What an update looked like, for the history that screens read.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 2, group: 1 });
 * console.log(summariseUpdate(1, trajectories)); // { update: 1, meanReward: 1, successRate: 1 }
 */
export function summariseUpdate(update: number, trajectories: readonly Trajectory[]): UpdateSummary {
  const rewards = trajectories.flatMap(({ reward }) => scoreValue(reward) ?? []);
  const known = trajectories.flatMap(({ success }) => (success === null ? [] : [success ? 1 : 0]));
  return {
    update,
    meanReward: rewards.length === 0 ? null : mean(rewards),
    successRate: known.length === 0 ? null : mean(known),
  };
}
