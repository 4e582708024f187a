/** Pairs of single steps: two ways from one crossing, as two answers to exactly the same context. */
import type { Forest } from "limbeck-base/trajectory/forest";
import { contextOf } from "./answers.ts";
import type { Taker, Way } from "./crossings.ts";
import { pairOf, type Pair } from "./pair.ts";

/** Takers of a way that are looked at for one with the same context; nearly always the first one has it. */
const LOOKED_AT = 4;

/** Undefined where the ways were not both taken after the same tokens. */
export function stepPair(
  forest: Forest,
  task: string,
  better: Pick<Way, "takers">,
  worse: Pick<Way, "takers">,
  margin: number,
): Pair | undefined {
  for (const chosen of better.takers.slice(0, LOOKED_AT)) {
    const rejected = worse.takers.slice(0, LOOKED_AT).find((other) => sharesContext(forest, chosen, other));
    if (rejected !== undefined) return pairOf(task, sideOf(chosen), sideOf(rejected), margin);
  }
  return undefined;
}

function sideOf({ trajectory, step }: Taker): Pair["chosen"] {
  return { trajectory: trajectory.id, steps: [step.index] };
}

/** Two without tokens share it too: a crossing is where they had seen the same text. */
function sharesContext(forest: Forest, one: Taker, other: Taker): boolean {
  const left = contextOf(forest, one.trajectory, one.step.index);
  const right = contextOf(forest, other.trajectory, other.step.index);
  if (left === undefined || right === undefined) return left === right;
  return left.length === right.length && left.every((id, at) => id === right[at]);
}
