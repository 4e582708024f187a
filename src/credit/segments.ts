/** Stretches between branch points: what is written between two of them earns the change of a value. */
import { isBefore, type BranchPoint } from "./branch-points.ts";
import { entry } from "./columns.ts";
import type { CreditRow } from "./credit.ts";
import { eachPosition } from "./length-penalty.ts";

/** Writes into each token of a row what its stretch earns; stretch n ends at point n, the last one with the response. */
export function fillStretches(
  target: Float64Array,
  row: CreditRow,
  points: readonly BranchPoint[],
  earned: readonly number[],
): void {
  let passed = 0;
  eachPosition(row, (token, position) => {
    while (passed < points.length && !isBefore(position, entry(points, passed))) passed += 1;
    target[token] = entry(earned, passed);
  });
}

/** Differences of neighbours: from n + 1 levels to what n stretches earn. */
export function changes(levels: readonly number[]): number[] {
  return levels.slice(1).map((level, at) => level - entry(levels, at));
}
