/** Two trajectories of one import with the same id: both are kept, the later one under a new name, with a notice. */
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { attempt, type FileLine } from "./fault.ts";
import type { ReadOptions } from "./source.ts";
import { createUnique } from "./identity.ts";

/** For one import. */
export function createRenamer(options: ReadOptions): (trajectory: Trajectory, place: FileLine) => Trajectory {
  const unique = createUnique();
  return (trajectory, place) => {
    const id = unique(trajectory.id);
    if (id === trajectory.id) return trajectory;
    sayRenamed(trajectory.id, id, place, options);
    return { ...trajectory, id };
  };
}

export function sayRenamed(before: string, id: string, place: FileLine, options: ReadOptions): void {
  options.onNotice?.({
    ...place,
    code: "duplicate-id",
    message: `Another trajectory is named ${JSON.stringify(before)}; this one is kept as ${JSON.stringify(id)}.`,
  });
}

/** A trajectory from each value of a file, or of the files of a folder. */
export async function* readEach(
  path: string,
  values: AsyncIterable<{ readonly value: unknown; readonly line: number; readonly file?: string }>,
  options: ReadOptions,
  read: (value: unknown, place: FileLine) => Trajectory,
): AsyncGenerator<Trajectory, void, undefined> {
  const rename = createRenamer(options);
  for await (const { value, line, file = path } of values) {
    const place = { file, line };
    const trajectory = attempt(place, options, () => read(value, place));
    if (trajectory !== undefined) yield rename(trajectory, place);
  }
}
