/** Whole attempts at a task, as many methods begin with: the policy walks on alone, several times, and all are evaluated. */
import { pivotOf } from "./worth.ts";
import { lessonOf } from "./line-summary.ts";
import type { SearchScope, WalkOnOptions, SearchNode } from "./search.ts";

export interface Start extends WalkOnOptions {
  readonly from: SearchNode;
}

/** One end for each start, in order, with its estimate; undefined where no step could be paid. */
export async function walkEach(scope: SearchScope, starts: readonly Start[]): Promise<(SearchNode | undefined)[]> {
  const ends = await scope.each(starts, (own, { from, ...options }) => own.walkOn(from, options));
  await scope.evaluate(ends.filter((end) => end !== undefined));
  return ends;
}

/** Those that could be paid. */
export async function walkAll(scope: SearchScope, starts: readonly Start[]): Promise<SearchNode[]> {
  return (await walkEach(scope, starts)).filter((end) => end !== undefined);
}

/** So many attempts from one start. Default: the opening. */
export async function attempt(
  scope: SearchScope,
  count: number,
  start: Start = { from: scope.root },
): Promise<SearchNode[]> {
  return await walkAll(
    scope,
    Array.from({ length: count }, () => start),
  );
}

/** A new attempt from where an earlier one went wrong; "rule" also tells it what failed there. */
export function retry(leaf: SearchNode, advice: "rule" | "none"): Start {
  return { from: pivotOf(leaf), ...(advice === "rule" ? { guidance: lessonOf(leaf) } : {}) };
}
