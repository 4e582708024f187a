/** Trajectories with new judgements: the list of rewards grows, and the named ones become the reward that is trained on. */
import { EngineError } from "../base/index.ts";
import { unscored, type Reward, type Trajectory } from "../trajectory/index.ts";

export interface WithRewardsOptions {
  /** The trajectory-level reward that becomes `reward`. Default: untouched. */
  readonly reward?: string;
  /** The step-level reward that becomes the reward of each step. Default: untouched. */
  readonly stepReward?: string;
}

/** New trajectories; those given stay as they are. What was given before under the same name by the same source is replaced. */
export function withRewards(
  trajectories: readonly Trajectory[],
  rewards: readonly (readonly Reward[])[],
  { reward, stepReward }: WithRewardsOptions = {},
): Trajectory[] {
  if (rewards.length !== trajectories.length) {
    const message = `There are ${rewards.length} lists of rewards for ${trajectories.length} trajectories; each needs one.`;
    throw new EngineError("rewards-misfit", message);
  }
  return trajectories.map((trajectory, at) => {
    const fresh = rewards[at] as readonly Reward[];
    const replaced = new Set(fresh.map(key));
    const all = [...trajectory.rewards.filter((old) => !replaced.has(key(old))), ...fresh];
    return {
      ...trajectory,
      rewards: all,
      ...(reward === undefined ? {} : { reward: outcome(all, reward) }),
      ...(stepReward === undefined ? {} : { steps: steps(trajectory, all, stepReward) }),
    };
  });
}

function key({ name, source }: Reward): string {
  return JSON.stringify([name, source]);
}

function outcome(rewards: readonly Reward[], name: string): Trajectory["reward"] {
  const found = rewards.findLast((reward) => reward.name === name && reward.step === undefined);
  return found?.score ?? unscored(`there is no reward "${name}"`);
}

function steps(trajectory: Trajectory, rewards: readonly Reward[], name: string): Trajectory["steps"] {
  const byStep = new Map<number, Reward>();
  for (const reward of rewards) {
    if (reward.name === name && reward.step !== undefined && reward.tokens === undefined)
      byStep.set(reward.step, reward);
  }
  return trajectory.steps.map((step) => ({
    ...step,
    reward: byStep.get(step.index)?.score ?? unscored(`there is no reward "${name}" of this step`),
  }));
}
