/** Rows that began in the same state, within their task. */
import type { CreditRow, IndexedBatch } from "./credit.ts";
import type { Grouping } from "./group-advantages.ts";

type StateBatch = IndexedBatch<CreditRow & { readonly state: string }>;

/** Equal texts of different tasks are different states. */
export function stateGroups({ rows, index }: StateBatch): Grouping {
  const of = new Int32Array(rows.length);
  const known: Map<string, number>[] = Array.from({ length: index.tasks }, () => new Map<string, number>());
  let count = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const states = known[index.taskOf[at] as number] as Map<string, number>;
    const { state } = rows[at] as CreditRow & { readonly state: string };
    const found = states.get(state);
    of[at] = found ?? count;
    if (found !== undefined) continue;
    states.set(state, count);
    count += 1;
  }
  return { of, count };
}

/** The row before each row in its episode, or -1. A branch's first row follows the step before the one it replaces. */
export function previousRows({ rows, index }: IndexedBatch): Int32Array {
  const previous = new Int32Array(rows.length).fill(-1);
  for (let trajectory = 0; trajectory < index.trajectories; trajectory += 1) {
    const begin = index.offsets[trajectory] as number;
    const end = index.offsets[trajectory + 1] as number;
    for (let at = begin + 1; at < end; at += 1) {
      previous[index.ordered[at] as number] = index.ordered[at - 1] as number;
    }
    if (index.parentOf[trajectory] !== -1) {
      previous[index.ordered[begin] as number] = beforeBranch(index, trajectory);
    }
  }
  return previous;
}

/** Climbs while the branch left at its parent's own first step. */
function beforeBranch(index: IndexedBatch["index"], branch: number): number {
  let at = branch;
  while (index.parentOf[at] !== -1) {
    const parent = index.parentOf[at] as number;
    const own = (index.parentSteps[at] as number) - (index.parentSteps[parent] as number);
    if (own > 0) return index.ordered[(index.offsets[parent] as number) + own - 1] as number;
    at = parent;
  }
  return -1;
}
