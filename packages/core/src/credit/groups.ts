/** Values against their group: centred, or centred and scaled. The heart of the group-relative family. */
import { add, entry, groupBy, type Grouping, onMembers, real, intAt } from "./columns.ts";
import type { IndexedBatch, Terms } from "./credit.ts";
import { firstSteps } from "./scores.ts";

export interface GroupOptions {
  /** Divide by the deviation too. Default: true. */
  readonly scale?: boolean;
  /** A group of one: "raw" keeps the value (mean 0, deviation 1), "zero" gives 0. */
  readonly singleton: string;
  /** "unbiased" (the default) divides by n - 1, "population" by n. */
  readonly deviation?: string;
  /** Added to the deviation. Default: 1e-6. */
  readonly epsilon?: number;
  /** Smallest variance, taken before the root. Default: 0. */
  readonly varianceFloor?: number;
  /** 1 for members that enter the statistics. Default: all. */
  readonly counted?: Uint8Array;
  /** What each group is compared with. Default: its mean. */
  readonly baseline?: Float64Array;
}

export interface GroupStatistics {
  readonly centres: Float64Array;
  /** What differences are divided by. */
  readonly scales: Float64Array;
  readonly sizes: Int32Array;
  readonly metrics: { readonly groups: number; readonly singletonGroups: number; readonly equalGroups: number };
}

export interface GroupAdvantages extends GroupStatistics {
  readonly advantages: Float64Array;
}

export function groupAdvantages(values: Float64Array, groups: Grouping, options: GroupOptions): GroupAdvantages {
  const statistics = groupStatistics(values, groups, options);
  const { centres, scales, sizes } = statistics;
  const advantages = new Float64Array(values.length);
  for (let at = 0; at < values.length; at += 1) {
    const group = intAt(groups.of, at);
    if (sizes[group] === 1 && options.singleton === "zero") continue;
    advantages[at] = (real(values, at) - real(centres, group)) / real(scales, group);
  }
  return { ...statistics, advantages };
}

/** Mean and divisor of each group. A group whose values are all equal has exactly that value as its mean. */
export function groupStatistics(values: Float64Array, groups: Grouping, options: GroupOptions): GroupStatistics {
  const { of, count } = groups;
  const sizes = new Int32Array(count);
  const sums = new Float64Array(count);
  const least = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  for (let at = 0; at < values.length; at += 1) {
    if (options.counted?.[at] === 0) continue;
    const group = intAt(of, at);
    const value = real(values, at);
    sizes[group] = intAt(sizes, group) + 1;
    add(sums, group, value);
    if (value < real(least, group)) least[group] = value;
    if (value > real(most, group)) most[group] = value;
  }
  const centres = new Float64Array(count);
  let singletonGroups = 0;
  let equalGroups = 0;
  for (const [group, size] of sizes.entries()) {
    // Rounding of sum / size must not make a difference out of equal values.
    const equal = least[group] === most[group];
    const mean = equal ? real(least, group) : real(sums, group) / size;
    centres[group] = size === 1 && options.singleton === "raw" ? 0 : (options.baseline?.[group] ?? mean);
    if (size === 1) singletonGroups += 1;
    else if (equal) equalGroups += 1;
  }
  const scales =
    options.scale === false ? new Float64Array(count).fill(1) : deviations(values, of, centres, sizes, options);
  return { centres, scales, sizes, metrics: { groups: count, singletonGroups, equalGroups } };
}

function deviations(
  values: Float64Array,
  of: Int32Array,
  centres: Float64Array,
  sizes: Int32Array,
  { deviation = "unbiased", epsilon = 1e-6, varianceFloor = 0, counted }: GroupOptions,
): Float64Array {
  const squares = new Float64Array(centres.length);
  for (let at = 0; at < values.length; at += 1) {
    if (counted?.[at] === 0) continue;
    const group = intAt(of, at);
    const distance = real(values, at) - real(centres, group);
    add(squares, group, distance * distance);
  }
  return squares.map((sum, group) => {
    const size = intAt(sizes, group);
    const variance = sum / (deviation === "population" ? size : Math.max(size - 1, 1));
    // A group of one has deviation 1 by convention, so "raw" stays raw up to epsilon.
    if (size === 1) return 1 + epsilon;
    return Math.sqrt(Math.max(variance, varianceFloor)) + epsilon;
  });
}

/** The advantages as the only term. */
export function asTerm(name: string, { advantages, metrics }: GroupAdvantages): Terms {
  return { terms: { [name]: { weight: 1, perRow: advantages } }, metrics };
}

/** Rows by task. */
export function taskGroups({ index }: IndexedBatch): Grouping {
  return { of: index.taskOf, count: index.tasks };
}

/** Trajectories by task. */
export function trajectoryGroups({ index }: IndexedBatch): Grouping {
  const of = new Int32Array(index.trajectories);
  for (const [at, task] of index.taskOf.entries()) of[intAt(index.trajectoryOf, at)] = task;
  return { of, count: index.tasks };
}

/** Rows of one task at the same turn. */
export function turnGroups({ rows, index }: IndexedBatch): Grouping {
  return groupBy(rows.length, (at) => entry(rows, at).step * index.tasks + intAt(index.taskOf, at));
}

/**
 * Each row's score against the rows of its task. Statistics are over step rows, as in the published code, so a long
 * trajectory weighs more in its group's mean; `countTrajectoryOnce` lets only the first step of each count.
 */
export function outcomeAdvantages(
  batch: IndexedBatch,
  scores: Float64Array,
  options: GroupOptions & { readonly countTrajectoryOnce?: boolean },
): GroupAdvantages {
  const counted = options.countTrajectoryOnce === true ? { counted: firstSteps(batch) } : {};
  return groupAdvantages(scores, taskGroups(batch), { ...options, ...counted });
}

/** Each trajectory's value against those of its task. Default: its outcome. */
export function trajectoryAdvantages(
  batch: IndexedBatch,
  options: GroupOptions,
  values: Float64Array = batch.index.outcomeOf,
): GroupAdvantages {
  return groupAdvantages(values, trajectoryGroups(batch), options);
}

/** The trajectory's value on each of its rows. */
export function onRows({ index }: IndexedBatch, perTrajectory: Float64Array): Float64Array {
  return onMembers({ of: index.trajectoryOf }, perTrajectory);
}
