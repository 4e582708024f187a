/** Two trajectories of one import with the same id: both are kept, the later one under a new name, and that is said. */
import type { Trajectory } from "../../trajectory/index.ts";
import type { Place } from "./fault.ts";
import type { ReadOptions } from "./format.ts";

export function renamed(trajectory: Trajectory, id: string, place: Place, options: ReadOptions): Trajectory {
  if (id === trajectory.id) return trajectory;
  sayRenamed(trajectory.id, id, place, options);
  return { ...trajectory, id };
}

export function sayRenamed(before: string, id: string, place: Place, options: ReadOptions): void {
  options.onNotice?.({
    ...place,
    code: "duplicate-id",
    message: `Another trajectory is named ${JSON.stringify(before)}; this one is kept as ${JSON.stringify(id)}.`,
  });
}
