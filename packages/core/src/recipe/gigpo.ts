/** GiGPO: Compares episodes of a task, and steps that started from the same state. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const gigpo = defineRecipe({
  info: {
    title: "GiGPO",
    paper: "arXiv 2505.10978",
    confidence: "code",
    source: "jinyangwu/OPID @ 37a15a5f; gigpo/core_gigpo.py: compute_gigpo_outcome_advantage",
    meaning: "Compares episodes of a task, and steps that started from the same state.",
    departures: [],
  },
  credit: "gigpo",
  settings: {},
  update: groupUpdate("clipped"),
});
