/** Rows that began in the same state, within their task. */
import { option } from "limbeck-base/base/option";
import { groupStates, type StateMatch } from "limbeck-base/trajectory/state-groups";
import { trajectoriesOf } from "./batch-index.ts";
import { type Grouping, intAt } from "./columns.ts";
import type { CreditRow, IndexedBatch } from "./credit.ts";

type StateBatch = IndexedBatch<CreditRow & { readonly state: string }>;

export interface StateMatchOptions {
  readonly stateMatch: string;
  readonly similarity: number;
}

export const stateMatch = (standard: StateMatch) =>
  option.choice(
    standard,
    ["exact", "normalised", "similar", "words"],
    "when two states are one: equal texts, equal but for case and white space, similar texts, or most words shared",
  );

export const similarity = (standard: number) =>
  option.number(standard, "least similarity of similar texts, by matching blocks; of words, by F1", {
    least: 0.01,
    most: 1,
  });

/** Equal texts of different tasks are different states; so are those of different keys, where `within` gives them. */
export function stateGroups(
  { rows }: StateBatch,
  options: StateMatchOptions,
  within: (row: CreditRow) => string = ({ task }) => task,
): Grouping {
  return groupStates(
    rows.map(({ state }) => state),
    {
      match: options.stateMatch as StateMatch,
      threshold: options.similarity,
      within: rows.map(within),
    },
  );
}

/** The row before each row in its episode, or -1. A branch's first row follows the step before the one it replaces. */
export function previousRows(batch: IndexedBatch): Int32Array {
  const previous = new Int32Array(batch.rows.length);
  for (const [trajectory, steps] of trajectoriesOf(batch)) {
    for (const [place, at] of steps.entries()) previous[at] = steps[place - 1] ?? beforeBranch(batch.index, trajectory);
  }
  return previous;
}

/** Climbs while the branch left at its parent's own first step. */
function beforeBranch(index: IndexedBatch["index"], branch: number): number {
  let at = branch;
  while (index.parentOf[at] !== -1) {
    const parent = intAt(index.parentOf, at);
    const own = intAt(index.parentSteps, at) - intAt(index.parentSteps, parent);
    if (own > 0) return intAt(index.ordered, intAt(index.offsets, parent) + own - 1);
    at = parent;
  }
  return -1;
}
