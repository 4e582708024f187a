/** RLOO: Compares each episode with the mean of the others. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const rloo = defineRecipe({
  info: {
    title: "RLOO",
    paper: "arXiv 2402.14740",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_rloo_vectorized_outcome_advantage",
    meaning: "Compares each episode with the mean of the others.",
    departures: [],
  },
  credit: "rloo",
  settings: {},
  update: groupUpdate("clipped"),
});
