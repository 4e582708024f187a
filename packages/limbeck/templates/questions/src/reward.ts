/** What an episode is worth. It stands in the place of the world's own reward, which is 1 for a right answer. */
import type { Trajectory } from "limbeck";

/** A right answer is worth 1 where the agent searched before, and a half where it only knew. */
export function reward({ success, steps }: Trajectory): number {
  if (success !== true) return 0;
  return steps.some(({ action }) => action.includes("<search>")) ? 1 : 0.5;
}
