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
    departures: [
      "The published script (examples/rloo_trainer; a second one, an example of rollout correction, has one answer a prompt) takes 0.001 times the divergence from the start (k1) from token rewards; here no divergence by default, and klWeight adds one to the loss instead.",
      "It takes 4 clipped steps on each batch (1,024 prompts of 5 answers); here one step on 8 tasks of 8 episodes, in which the clipped loss has the slope of the plain gradient, which takes its place.",
      "Rows are steps: the others of a step are all other step rows of its task, those of its own episode among them; published code has one row for a conversation. Setting credit.countTrajectoryOnce.",
    ],
  },
  credit: "rloo",
  settings: {},
  update: groupUpdate("clipped"),
});
