/**
 * Trajectories that ought to be worth the same: of one group, with one outcome. Whatever else a reward follows inside
 * such a stratum is not the task.
 */
import { byGroup } from "limbeck-base/trajectory/rows";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

export interface Member {
  readonly trajectory: Trajectory;
  readonly reward: number;
}

/** Members with a scored reward, by group and success; an unknown success is a stratum of its own. */
export function strata(trajectories: readonly Trajectory[]): Member[][] {
  return byGroup(trajectories).flatMap(({ trajectories: group }) =>
    [true, false, null].flatMap((success) => {
      const members = group
        .filter((trajectory) => trajectory.success === success)
        .flatMap((trajectory) => {
          const reward = scoreValue(trajectory.reward);
          return reward === undefined ? [] : [{ trajectory, reward }];
        });
      return members.length === 0 ? [] : [members];
    }),
  );
}
