/** REINFORCE++: Normalises returns over the whole batch instead of within groups. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const reinforcePlusPlus = defineRecipe({
  info: {
    title: "REINFORCE++",
    paper: "arXiv 2501.03262",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_reinforce_plus_plus_outcome_advantage",
    meaning: "Normalises returns over the whole batch instead of within groups.",
    departures: [],
  },
  credit: "reinforce-plus-plus",
  settings: {},
  update: groupUpdate("clipped"),
});
