/** XRPO: rollouts go where the outcome is least certain, tasks without success are shown examples, rare successes count more. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const xrpo = defineRecipe({
  info: {
    title: "XRPO",
    paper: "XRPO: Targeted Exploration and Exploitation, arXiv 2510.06672",
    confidence: "paper",
    source:
      "arXiv 2510.06672, sections on the rollout planner, on examples in the context, and on advantage sharpening",
    meaning:
      "Spends rollouts where they narrow what is known most, and pushes harder on right answers that were unlikely.",
    departures: ["What a task without success is shown are solved tasks of the run with the most words in common."],
  },
  credit: "xrpo",
  strategy: { name: "allocate", options: { by: "interval", examples: 1 } },
  settings: {},
  update: groupUpdate("clipped"),
});
