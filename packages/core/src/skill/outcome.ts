/** Whether an episode succeeded, in the words an analyst is given, and which episodes are worth analysing. */
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { OutcomeLabel } from "./skill.ts";

const SUCCESS = 1;

/**
 * The outcome in one word.
 *
 * @example
 * console.log(labelOutcome({ success: true }), labelOutcome({ success: false }), labelOutcome({ success: null })); // success failure unknown
 */
export function labelOutcome(trajectory: Pick<Trajectory, "success">): OutcomeLabel {
  if (trajectory.success === null) return "unknown";
  return trajectory.success ? "success" : "failure";
}

export interface SelectionOptions {
  /** Only episodes that did not succeed. */
  readonly failedOnly?: boolean;
  /** Reward from which an episode counts as a success where that is unknown. Default: 1. */
  readonly successThreshold?: number;
}

/**
 * Where neither success nor a reward is known, the episode is analysed.
 *
 * @example
 * const lost = { success: false, reward: scored(0) };
 * const won = { success: true, reward: scored(1) };
 * console.log([lost, won].map((episode) => shouldAnalyse(episode, { failedOnly: true }))); // [ true, false ]
 */
export function shouldAnalyse(
  trajectory: Pick<Trajectory, "success" | "reward">,
  { failedOnly = false, successThreshold = SUCCESS }: SelectionOptions = {},
): boolean {
  if (!failedOnly) return true;
  if (trajectory.success !== null) return !trajectory.success;
  const reward = scoreValue(trajectory.reward);
  return reward === undefined || reward < successThreshold;
}
