/** What an episode is worth. It stands in the place of the world's own reward, which is 1 for a success. */
import type { Trajectory } from "limbeck";

/** A success is worth more the fewer steps it took: 1 for one step, a half for two. */
export function reward({ success, steps }: Trajectory): number {
  return success === true ? 1 / Math.max(1, steps.length) : 0;
}
