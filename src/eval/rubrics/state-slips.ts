/** State-tracking slips: a refused action that is well formed and about known things, which are just not so here. */
import { found, wordsOf, type Rubric } from "./rubric.ts";

export const stateSlips: Rubric = {
  id: "state-slips",
  summary:
    "A refused action whose verb the world knows and whose things were all seen before: the agent lost track of where they are or what it holds.",
  good: false,
  check: (walk) => {
    if (walk.steps.length === 0) return { shown: null, why: "no steps" };
    const seen = new Set<string>();
    const slips = walk.steps.flatMap((step, at) => {
      for (const word of wordsOf(step.observation)) seen.add(word);
      const [verb, ...things] = wordsOf(step.action);
      if (step.valid || verb === undefined || !walk.verbs.has(verb)) return [];
      // Small words ("to", "from", "on") belong to the language, not to the house.
      const named = things.filter((word) => word.length > 4 || /\d/.test(word));
      return named.length > 0 && named.every((word) => seen.has(word)) ? [at] : [];
    });
    return found(walk, slips, walk.steps.length);
  },
};
