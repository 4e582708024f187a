/** Loops: the agent left a state, came back to it and did the same again. */
import { effectOf, findingFrom, type Rubric, type RubricWalk } from "./rubric.ts";

export const loops: Rubric = {
  id: "loops",
  summary: "The same action again in the same state, after having left that state: it walks in circles.",
  good: false,
  check: (walk) => {
    if (walk.steps.length < 2) return { shown: null, why: "fewer than two steps" };
    const first = new Map<string, number>();
    const again = walk.steps.flatMap((step, at) => {
      const key = JSON.stringify([step.stateKey, step.action]);
      const before = first.get(key);
      if (before === undefined) first.set(key, at);
      return before !== undefined && left(walk, before, at) ? [at] : [];
    });
    return findingFrom(walk, again, walk.steps.length - 1);
  },
};

/** Whether the state was another one at some step in between. An action that did nothing is not a loop but stubborn. */
function left(walk: RubricWalk, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (effectOf(walk, at) === "changed") return true;
  return false;
}
