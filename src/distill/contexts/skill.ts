/** Hindsight: the skills that an analyst wrote about the finished group. */
import type { Context } from "./context.ts";

export const skill: Context = {
  info: {
    title: "Hindsight skills",
    meaning: "What the analyst says of the episode and of its critical steps.",
    missing: "where the analysis failed or found nothing to say",
  },
  prepare: async (episodes, { analyse }) => ({ kind: "told", analyses: await analyse(episodes) }),
};
