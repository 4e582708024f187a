/** Hindsight: the skills that an analyst wrote about the finished group. */
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { defineContext } from "./context.ts";

export const skill = defineContext({
  info: {
    title: "Hindsight skills",
    meaning: "What the analyst says of the episode and of its critical steps.",
    missing: "where the analysis failed or found nothing to say",
  },
  options: {},
  prepare: async (episodes, { analyse }, _options, among) => ({
    kind: "told",
    analyses: await analyse(episodes, withSiblings(episodes, among)),
  }),
});

/** Hindsight is a comparison: failed episodes alone would never show how a sibling succeeded. */
function withSiblings(episodes: readonly Trajectory[], among: readonly Trajectory[]): readonly Trajectory[] {
  const groups = new Set(episodes.map(({ group }) => group));
  const known = new Set(among.map(({ id }) => id));
  return [...among.filter(({ group }) => groups.has(group)), ...episodes.filter(({ id }) => !known.has(id))];
}
