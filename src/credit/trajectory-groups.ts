/** Statistics over trajectories instead of rows, and the way back to rows. */
import type { IndexedBatch } from "./credit.ts";
import { groupAdvantages, type GroupAdvantages, type GroupOptions, type Grouping } from "./group-advantages.ts";

/** Trajectories by task. */
export function trajectoryGroups({ index }: IndexedBatch): Grouping {
  const of = new Int32Array(index.trajectories);
  for (let at = 0; at < index.taskOf.length; at += 1) {
    of[index.trajectoryOf[at] as number] = index.taskOf[at] as number;
  }
  return { of, count: index.tasks };
}

/** Each trajectory's value against those of its task; outcomes unless given. */
export function trajectoryAdvantages(
  batch: IndexedBatch,
  options: GroupOptions,
  values: Float64Array = batch.index.outcomeOf,
): GroupAdvantages {
  return groupAdvantages(values, trajectoryGroups(batch), options);
}

/** The trajectory's value on each of its rows. */
export function onRows({ index }: IndexedBatch, perTrajectory: Float64Array): Float64Array {
  return Float64Array.from(index.trajectoryOf, (trajectory) => perTrajectory[trajectory] as number);
}

/** Row indices of a trajectory, by step. */
export function stepsOf({ index }: IndexedBatch, trajectory: number): Int32Array {
  return index.ordered.subarray(index.offsets[trajectory], index.offsets[trajectory + 1]);
}

/** Rows of one task at the same turn. */
export function turnGroups({ rows, index }: IndexedBatch): Grouping {
  return groupBy(rows.length, (at) => (rows[at]?.step ?? 0) * index.tasks + (index.taskOf[at] as number));
}

/** Rows with equal keys; groups are numbered as they are met. */
export function groupBy(count: number, keyOf: (at: number) => number | string): Grouping {
  const numbers = new Map<number | string, number>();
  const of = Int32Array.from({ length: count }, (_, at) => {
    const key = keyOf(at);
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  });
  return { of, count: numbers.size };
}

/** x_k + gamma * x_(k+1) + ..., along each trajectory. */
export function discountedSums(batch: IndexedBatch, values: Float64Array, gamma: number): Float64Array {
  const sums = new Float64Array(values.length);
  for (let trajectory = 0; trajectory < batch.index.trajectories; trajectory += 1) {
    const steps = stepsOf(batch, trajectory);
    let later = 0;
    for (let place = steps.length - 1; place >= 0; place -= 1) {
      const at = steps[place] as number;
      later = (values[at] as number) + gamma * later;
      sums[at] = later;
    }
  }
  return sums;
}
