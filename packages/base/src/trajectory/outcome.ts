/**
 * The outcome of a trajectory whose feedback may have come later. A reward named "success" or "score" that was not given
 * at the end is feedback of people and judges; the last one counts. What comes from a store or a recording has
 * its outcome in place already.
 */
import type { Score, Trajectory } from "./trajectory.ts";

export interface Outcome {
  /** Null when it is unknown. */
  readonly success: boolean | null;
  readonly reward: Score;
}

/** Names under which feedback tells the outcome of the whole trajectory. */
export const OUTCOME_REWARDS = { success: "success", score: "score" } as const;

/**
 * The outcome with later rewards of people and judges.
 *
 * @example
 * const rewards = [{ name: "success", source: "a person", score: scored(1) }];
 * console.log(outcomeOf({ success: null, reward: unscored("no score"), rewards }).success); // true
 */
export function outcomeOf(trajectory: Pick<Trajectory, "success" | "reward" | "rewards">): Outcome {
  let { success, reward } = trajectory;
  for (const { name, score, step } of trajectory.rewards) {
    if (step !== undefined || score.kind === "unscored") continue;
    if (name === OUTCOME_REWARDS.success) success = score.value >= 0.5;
    if (name === OUTCOME_REWARDS.score) reward = score;
  }
  return { success, reward };
}

/**
 * Whether it can be counted for or against something. Without, it is good for analysis and never for lift.
 *
 * @example
 * console.log(hasOutcome({ success: null, reward: unscored("no score"), rewards: [] })); // false
 */
export function hasOutcome(trajectory: Pick<Trajectory, "success" | "reward" | "rewards">): boolean {
  const { success, reward } = outcomeOf(trajectory);
  return success !== null || reward.kind === "scored";
}

/** The same trajectory with its outcome in place. */
export function withOutcome(trajectory: Trajectory): Trajectory {
  return { ...trajectory, ...outcomeOf(trajectory) };
}
