/** Online DPO: the better episodes of each task are preferred to the worse ones, update by update. */
import { pairSettings, preferenceUpdate } from "./prefer.ts";
import { defineRecipe } from "./recipe.ts";

export const onlineDpo = defineRecipe({
  info: {
    title: "Online DPO",
    paper: "DPO, arXiv 2305.18290; on the policy's own episodes as in ETO; sides summed over steps as in GRAPE",
    confidence: "paper",
    source: "arXiv 2305.18290, section 4, Eq. 7; on trajectories: arXiv 2403.02502, section on contrastive pairs",
    meaning:
      "Pairs the best episode of a task with the worst, the second best with the second worst, and prefers the better.",
    departures: [
      "Published forms gather pairs first; here the pairs of every update are learned from once (setting gather).",
      "A side is a whole episode. Episodes that earned the same are not paired.",
    ],
  },
  // Nobody asks for advantages.
  credit: "grpo",
  settings: pairSettings("episodes"),
  update: async (update, settings) => await preferenceUpdate(update, settings, "episodes"),
});
