/** Step DPO: at states where the policy was unsure other answers are tried to the end, and the better step is preferred. */
import { pairSettings, preferenceUpdate } from "./prefer.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";

export const stepDpo = defineRecipe({
  info: {
    title: "Step DPO",
    paper: "Step-DPO, arXiv 2406.18629, for preferences between single steps; DPO, arXiv 2305.18290",
    confidence: "paper",
    source: "arXiv 2406.18629, section 3",
    meaning:
      "Prefers, among the steps taken from one and the same point, the one after which episodes came out better.",
    departures: [
      "Steps are compared by what came of them: alternatives are walked to the end from the least likely answers of each episode (strategy counterfactual). The source asks a stronger model for the first wrong step.",
      "Both sides of a pair share every token before the step, so only the step has a gradient.",
    ],
  },
  credit: "grpo",
  strategy: { name: "counterfactual", options: { of: "all", at: "uncertain", alternatives: 3 } },
  settings: { ...pairSettings("siblings"), group: { ...sharedSettings.group, default: 4 } },
  update: async (update, settings) => await preferenceUpdate(update, settings, "siblings"),
});
