/** XRPO: rollouts go where the outcome is least certain, tasks without success are shown examples, rare successes count more. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const xrpo = defineRecipe({
  info: {
    title: "XRPO",
    paper: "XRPO: Targeted Exploration and Exploitation, arXiv 2510.06672",
    confidence: "reading",
    source:
      "reviews of arXiv 2510.06672 by others (themoonlight.io among them): the rollout planner, examples in the context, and advantage sharpening; of the paper its first page",
    meaning:
      "Spends rollouts where they narrow what is known most, and pushes harder on right answers that were unlikely.",
    departures: [
      "What a task without success is shown is the solved task of the run with the most words in common, whole; the paper shows two, found by an embedding model, and cuts long ones.",
    ],
  },
  credit: "xrpo",
  strategy: { name: "allocate", options: { by: "interval", examples: 1 } },
  settings: {},
  update: groupUpdate("clipped"),
});
