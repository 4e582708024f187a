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
    departures: [
      "Published scripts take 0.001 times the divergence from the start (k1) from token rewards; here no divergence by default, and klWeight adds one to the loss instead.",
      "One step on each batch and 8 answers for each prompt, as in the published script; in that one step the clipped loss has the slope of the plain gradient, which takes its place.",
    ],
  },
  credit: "reinforce-plus-plus",
  settings: {},
  update: groupUpdate("clipped"),
});
