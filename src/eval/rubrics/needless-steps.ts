/** Needless steps: accepted actions that led back to a state already visited and showed nothing new. */
import { found, seenAfter, type Rubric } from "./rubric.ts";

export const needlessSteps: Rubric = {
  id: "needless-steps",
  summary: "An accepted action that led to a state already visited and showed only what had been seen before.",
  good: false,
  check: (walk) => {
    if (walk.steps.length < 2) return { shown: null, why: "fewer than two steps" };
    const [states, texts] = [new Set<string>(), new Set<string>()];
    const needless = walk.steps.flatMap((step, at) => {
      states.add(step.stateKey);
      texts.add(step.observation);
      const next = walk.steps[at + 1];
      // A refused action is counted as such, elsewhere; after the last one nobody knows the state.
      if (!step.valid || next === undefined) return [];
      return states.has(next.stateKey) && texts.has(seenAfter(walk, at) ?? "") ? [at] : [];
    });
    return found(walk, needless, walk.steps.length - 1);
  },
};
