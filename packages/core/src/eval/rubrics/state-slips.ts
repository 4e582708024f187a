/** State-tracking slips: a refused action that is well formed and about known things, which are just not so here. */
import { findingFrom, wordsOf, type Rubric } from "./rubric.ts";

export const stateSlips: Rubric = {
  id: "state-slips",
  summary:
    "A refused action whose verb the world knows and whose things were all seen before: the agent lost track of where they are or what it holds.",
  good: false,
  check: (walk) => {
    if (walk.steps.length === 0) return { shown: null, why: "no steps" };
    const seen = new Set<string>();
    const slips = walk.steps.flatMap((step, at) => {
      // The goal names things before anybody has seen them.
      const words = wordsOf(step.observation.replaceAll(walk.goal, " "));
      for (const thing of [...words, ...numbered(words)]) seen.add(thing);
      const [verb, ...rest] = wordsOf(step.action);
      if (step.valid || verb === undefined || !walk.verbs.has(verb)) return [];
      const things = thingsOf(rest);
      return things.length > 0 && things.every((thing) => seen.has(thing)) ? [at] : [];
    });
    return findingFrom(walk, slips, walk.steps.length);
  },
};

/** "candle 1" is one thing. Of other words only the longer ones: "to", "from" and "with" belong to the language. */
function thingsOf(words: readonly string[]): string[] {
  const single = words.filter((word, at) => word.length > 4 && !isNumber(word) && !isNumber(words[at + 1] ?? ""));
  return [...numbered(words), ...single];
}

function numbered(words: readonly string[]): string[] {
  return words.flatMap((word, at) => (isNumber(words[at + 1] ?? "") ? [`${word} ${words[at + 1]}`] : []));
}

function isNumber(word: string): boolean {
  return /^\d+$/.test(word);
}
