/** Rows that began in the same state, within their task. */
import { option } from "../base/index.ts";
import { groupStates, type StateMatch } from "../trajectory/index.ts";
import type { CreditRow, IndexedBatch } from "./credit.ts";
import type { Grouping } from "./group-advantages.ts";

type StateBatch = IndexedBatch<CreditRow & { readonly state: string }>;

export interface StateMatchOptions {
  readonly stateMatch: string;
  readonly similarity: number;
}

export const stateMatch = option.choice(
  "exact",
  ["exact", "normalised", "similar"],
  "when two states are one: equal texts, equal but for case and white space, or similar texts",
);

export const similarity = option.number(0.95, "least similarity of similar texts, by matching blocks", {
  least: 0.01,
  most: 1,
});

/** Equal texts of different tasks are different states. */
export function stateGroups({ rows }: StateBatch, options: StateMatchOptions): Grouping {
  return groupStates(
    rows.map(({ state }) => state),
    {
      match: options.stateMatch as StateMatch,
      threshold: options.similarity,
      within: rows.map(({ task }) => task),
    },
  );
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
