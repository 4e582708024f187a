/**
 * The contract of a source of pairs: finished trajectories in, comparisons out. A source is pure: it plays nothing, asks
 * no model and draws nothing, so that recorded runs give the same pairs as fresh ones.
 */
import type { MethodInfo } from "limbeck-base/base/method-info";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import type { Forest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

/** Answers of one trajectory that are compared with others. What stands before them is read, not judged. */
export interface Side {
  readonly trajectory: string;
  /** Indices of its own steps, rising. */
  readonly steps: readonly number[];
}

export interface Pair {
  /** Made of its sides, so that it does not depend on the order of the trajectories. */
  readonly id: string;
  readonly task: string;
  readonly chosen: Side;
  readonly rejected: Side;
  /** By how much the chosen side is better, above 0, in the units of the source. */
  readonly margin: number;
}

export interface PairSource<Table extends OptionTable = OptionTable> {
  readonly info: MethodInfo;
  /** "step": both sides are one answer to the very same context. "trajectory": sides are the rest of an episode each. */
  readonly level: "step" | "trajectory";
  readonly options: Table;
  /** `forest` is that of the trajectories, for callers who have it. Default: built where it is needed. */
  find(trajectories: readonly Trajectory[], options: OptionValues<Table>, forest?: Forest): Pair[];
}

/**
 * Makes an entry of the registry, or a source of your own.
 *
 * @example
 * const shorter = definePairSource({
 *   info: { title: "Shorter", meaning: "Prefers the shorter way.", paper: "Our own", confidence: "practice", formula: [], departures: [] },
 *   level: "trajectory",
 *   options: { gap: option.count(1, "steps that the longer one has more") },
 *   find: (trajectories, { gap }) => {
 *     const [short, long] = trajectories.toSorted((one, other) => one.steps.length - other.steps.length);
 *     if (short === undefined || long === undefined || long.steps.length - short.steps.length < gap) return [];
 *     const [chosen, rejected] = [short, long].map(({ id, steps }) => ({ trajectory: id, steps: steps.map(({ index }) => index) }));
 *     return chosen && rejected ? [{ id: "shorter", task: short.task.id, chosen, rejected, margin: 1 }] : [];
 *   },
 * });
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 1, group: 1 });
 * const slow = trajectories.map((one) => ({ ...one, id: "slow", steps: [...one.steps, ...one.steps] }));
 * console.log(shorter.find([...slow, ...trajectories], { gap: 1 })[0]?.rejected.trajectory); // slow
 */
export function definePairSource<const Table extends OptionTable>(source: PairSource<Table>): PairSource<Table> {
  return source;
}

export function pairOf(task: string, chosen: Side, rejected: Side, margin: number): Pair {
  return { id: `${nameOf(chosen)} > ${nameOf(rejected)}`, task, chosen, rejected, margin };
}

function nameOf({ trajectory, steps }: Side): string {
  return `${trajectory}@${steps[0]}${steps.length > 1 ? `-${steps.at(-1)}` : ""}`;
}
