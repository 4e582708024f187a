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
      "Published forms gather pairs first; here the pairs of every update are learned from once (setting gather). ETO (Yifan-Song793/ETO @ a2fc5da3, run_eto.sh) explores three times over, with 3 epochs of each.",
      "The reference stays the policy at the start of the run. In ETO it is the policy at the start of each round; beta is 0.1 in the first and 0.5 in the others, here always 0.1. Its rate is 1e-6, then 5e-7, with 32 pairs a step and a warm-up over a tenth.",
      "ETO starts from imitation of an expert, and pairs one greedy episode of the policy (temperature 0) with the expert's, for each task. Here eight are drawn at temperature 1, both sides are the policy's own, and no expert is imitated.",
      "A side is a whole episode. Episodes that earned the same are not paired. The method best known by this name (arXiv 2402.04792) draws two answers and lets a language model judge them.",
    ],
  },
  // Nobody asks for advantages.
  credit: "grpo",
  settings: pairSettings("episodes"),
  update: async (update, settings) => await preferenceUpdate(update, settings, "episodes"),
});
