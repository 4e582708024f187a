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
    departures: [
      "Where all episodes of a task end alike, an invalid action costs nothing here: a policy that never succeeds would learn from the penalty alone, and fall silent. Published code lets it cost there too. Setting penaltyGroups.",
      "Published ALFWorld script: 16 tasks of 8 episodes an update, rate 1e-6, steps of 256 rows, divergence from the start 0.01 (k3), entropy bonus 0.001 and weight decay 0.01 by configuration, prompts with 5 turns of history, 30 steps an episode, the step part off. Here 8 tasks of 8, rate 3e-4, one step an update, none of the divergence, bonus and decay, one growing conversation, the world's own steps, step part 1.",
      "With one step an update the clipped loss is the plain gradient; published code takes several steps, so its clip (0.2, dual clip 3, as here) acts.",
    ],
  },
  credit: "gigpo",
  settings: {},
  update: groupUpdate("clipped"),
});
