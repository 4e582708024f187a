/** The tokens that a branch's context shares with its ancestors. A branch stores only its own; learning needs both. */
import type { Forest } from "./forest.ts";
import type { Trajectory } from "./trajectory.ts";

/**
 * What stands before the branch's first stream, from the beginning of the context; empty for roots and for branches
 * that opened a context of their own. `info.sharedTokens` says how many there are.
 */
export function sharedTokens(forest: Forest, trajectory: Trajectory): Int32Array {
  const count = trajectory.info?.["sharedTokens"];
  const { parent } = trajectory;
  if (parent === undefined || typeof count !== "number" || count === 0) return new Int32Array();
  const from = forest.get(parent.trajectory);
  if (from === undefined) return new Int32Array();
  const step = from.steps.find(({ index }) => index === parent.step) ?? from.steps.at(-1);
  const place = step?.span?.stream ?? 0;
  const before = place === 0 ? sharedTokens(forest, from) : new Int32Array();
  const own = from.streams[place]?.ids ?? new Int32Array();
  const whole = new Int32Array(before.length + own.length);
  whole.set(before);
  whole.set(own, before.length);
  return whole.slice(0, count);
}
