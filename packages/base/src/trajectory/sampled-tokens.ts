/** How many tokens of an episode its policy sampled; the others it read. */
import type { Trajectory } from "./trajectory.ts";

/** From the tokens themselves where they are kept, else from the server's count; undefined where they were not counted. */
export function sampledTokens({ streams, usage }: Pick<Trajectory, "streams" | "usage">): number | undefined {
  if (streams.length === 0) return usage?.completionTokens;
  return streams.reduce((total, { mask }) => total + mask.reduce((count, on) => count + on, 0), 0);
}
