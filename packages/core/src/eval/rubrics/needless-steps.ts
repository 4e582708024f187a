/** Needless steps: accepted actions that led back to a state already visited, with nothing new seen or reached on the way. */
import { findingFrom, type Rubric } from "./rubric.ts";

export const needlessSteps: Rubric = {
  id: "needless-steps",
  summary:
    "An accepted action that led to a state already visited and showed nothing new, as did every step since that visit: standing still, or going round without a find.",
  good: false,
  check: (walk) => {
    if (walk.steps.length < 2) return { shown: null, why: "fewer than two steps" };
    const texts = new Set<string>();
    const lastVisit = new Map<string, number>();
    let lastNews = -1;
    const needless = walk.steps.flatMap((step, at) => {
      texts.add(step.observation);
      lastVisit.set(step.stateKey, at);
      const next = walk.steps[at + 1];
      // A refused action is counted as such, elsewhere; the state after the last one is unknown.
      if (!step.valid || next === undefined) return [];
      const before = lastVisit.get(next.stateKey);
      if (before === undefined || !texts.has(next.observation)) {
        lastNews = at;
        return [];
      }
      // The way back from where something was found is part of the finding.
      return lastNews < before ? [at] : [];
    });
    return findingFrom(walk, needless, walk.steps.length - 1);
  },
};
