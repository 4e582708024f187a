/** Ignored observations: the world had shown that the action does nothing here, and the agent took it again. */
import { effectOf, findingFrom, seenAfter, type Rubric } from "./rubric.ts";

export const ignoredObservations: Rubric = {
  id: "ignored-observations",
  summary:
    "An action again that was refused, or changed nothing and showed nothing, when it was last taken in this very state.",
  good: false,
  check: (walk) => {
    /** By state, the actions that did nothing when they were last taken there. */
    const useless = new Map<string, Set<string>>();
    let chances = 0;
    const ignored = walk.steps.flatMap((step, at) => {
      const here = useless.get(step.stateKey) ?? new Set<string>();
      useless.set(step.stateKey, here);
      if (here.size > 0) chances += 1;
      const told = here.has(step.action);
      const silent = effectOf(walk, at) === "same" && seenAfter(walk, at) === step.observation;
      if (!step.valid || silent) here.add(step.action);
      else here.delete(step.action);
      return told ? [at] : [];
    });
    if (chances === 0)
      return { shown: null, why: "no state offered the chance: nothing was refused there or without effect" };
    return findingFrom(walk, ignored, chances);
  },
};
