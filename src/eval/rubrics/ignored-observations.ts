/** Ignored observations: the world had said that the action does nothing here, and the agent took it again. */
import { effectOf, found, type Rubric } from "./rubric.ts";

export const ignoredObservations: Rubric = {
  id: "ignored-observations",
  summary: "An action again that was refused, or changed nothing, when it was last taken in this very state.",
  good: false,
  check: (walk) => {
    const useless = new Set<string>();
    let chances = 0;
    const ignored = walk.steps.flatMap((step, at) => {
      const key = JSON.stringify([step.stateKey, step.action]);
      if (useless.size > 0) chances += 1;
      const told = useless.has(key);
      // An action that asks the same again and gets another answer (a clock, a new message) is no stubbornness.
      const nothing =
        !step.valid || (effectOf(walk, at) === "same" && walk.steps[at + 1]?.observation === step.observation);
      if (nothing || (told && effectOf(walk, at) === "same")) useless.add(key);
      return told ? [at] : [];
    });
    if (chances === 0) return { shown: null, why: "no action was refused or without effect" };
    return found(walk, ignored, chances);
  },
};
