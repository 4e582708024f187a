/** DAPO's dynamic sampling: tasks whose rollouts all earned the same teach nothing and are replaced by others. */
import { EngineError } from "limbeck-base/base/errors";

/** A task with the metric (accuracy or score) of each of its rollouts. */
export interface SampledTask {
  readonly values: ArrayLike<number>;
}

/** False where all values are equal; a single rollout is always kept. */
export function isInformative({ values }: SampledTask): boolean {
  if (values.length <= 1) return true;
  for (let at = 1; at < values.length; at += 1) if (values[at] !== values[0]) return true;
  return false;
}

export interface DynamicSamplingOptions {
  /** Tasks that one update trains on. */
  readonly trainTasks: number;
  /** Generated batches after which it gives up. Default: 10. */
  readonly maxBatches?: number;
  /** When the limit is reached: refuse, or train on what there is. */
  readonly whenShort?: "error" | "train";
}

export interface Collected<T> {
  /** In order of arrival, at most `trainTasks`. */
  readonly tasks: readonly T[];
  readonly batches: number;
  /** False: generate another batch and add it. */
  readonly done: boolean;
}

/**
 * What `collectTasks` begins with.
 *
 * @example
 * console.log(emptyCollection()); // { tasks: [], batches: 0, done: false }
 */
export function emptyCollection<T>(): Collected<T> {
  return { tasks: [], batches: 0, done: false };
}

/**
 * Adds one generated batch. Pure: the collection so far comes in, the larger one goes out.
 *
 * @example
 * import { emptyCollection } from "limbeck/credit";
 *
 * const batch = [{ id: "easy", values: [1, 1] }, { id: "middling", values: [1, 0] }];
 * const { tasks, done } = collectTasks<(typeof batch)[number]>(emptyCollection(), batch, { trainTasks: 2 });
 * console.log(tasks.map(({ id }) => id), done); // [ "middling" ] false
 */
export function collectTasks<T extends SampledTask>(
  soFar: Collected<T>,
  batch: readonly T[],
  { trainTasks, maxBatches = 10, whenShort = "error" }: DynamicSamplingOptions,
): Collected<T> {
  const kept = [...soFar.tasks, ...batch.filter(isInformative)];
  const batches = soFar.batches + 1;
  if (kept.length >= trainTasks) return { tasks: kept.slice(0, trainTasks), batches, done: true };
  if (batches < maxBatches) return { tasks: kept, batches, done: false };
  if (whenShort === "train") return { tasks: kept, batches, done: true };
  throw new EngineError(
    "no-informative-tasks",
    `After ${batches} generated batches ${kept.length} of ${trainTasks} tasks have rollouts that differ. Choose tasks of middling difficulty, raise maxBatches, or set whenShort to "train".`,
    { details: { batches, kept: kept.length, trainTasks } },
  );
}
