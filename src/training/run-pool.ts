/** The pool of tasks of a run, kept with it, so that a resumed run is known to have the same. */
import { EngineError } from "../base/index.ts";
import { poolOf, poolTasks } from "../update/task-pool.ts";
import type { TrainProgress } from "./checkpoint.ts";
import { storedKey } from "./stored-key.ts";
import type { Training } from "./training.ts";

/** Progress that knows its pool; a pool that is not the one of the run is refused. */
export async function withPool(training: Training, progress: TrainProgress): Promise<TrainProgress> {
  const pool = poolOf(training);
  // Only a pool is drawn; a whole split is what it is.
  if (pool?.drawn === undefined) return progress;
  const tasks = (await poolTasks(training.env, pool)).map(({ id }) => id);
  const other = progress.pool?.find((id, at) => id !== tasks[at]);
  if (other !== undefined) {
    throw new EngineError(
      "other-training",
      `The run's pool of tasks holds "${other}", which the world's training tasks do not have in its place: the world has changed since the run began. Take the world of then, or start a new run.`,
    );
  }
  if (!training.stored.has(storedKey("pool", 0))) {
    await training.writer.addEvent("pool", { update: 0, tasks });
  }
  return { ...progress, pool: tasks };
}
