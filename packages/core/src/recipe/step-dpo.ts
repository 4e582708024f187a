/** Step DPO: at states where the policy was unsure other answers are tried to the end, and the better step is preferred. */
import { pairSettings, preferenceUpdate } from "./prefer.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";

export const stepDpo = defineRecipe({
  info: {
    title: "Step DPO",
    paper: "Step-DPO, arXiv 2406.18629, for preferences between single steps; DPO, arXiv 2305.18290",
    confidence: "code",
    source:
      "dvlab-research/Step-DPO @ c4902fd2; data_pipeline, configs/config_full.yaml, bash_scrips/qwen2_7b_step_dpo.sh; arXiv 2406.18629, section 3",
    meaning:
      "Prefers, among the steps taken from one and the same point, the one after which episodes came out better.",
    departures: [
      "Steps are compared by what came of them: alternatives are walked to the end from the least likely answer of each episode, by mean log-probability (strategy counterfactual). The source asks a stronger model for the first step that is not right.",
      "Of every episode, successes too, one step is tried, with three alternatives. The source looks at failed answers alone, and draws 20 from before the wrong step.",
      "Pairs are made at every point that several episodes reached with the same past, the first step among them; in the source only at the step that was named wrong. How pairs come from values: source of pairs siblings.",
      "Steps are one way where their action is the same, whatever was written before it, and one of them stands for it; the source tells them apart by their text. A step is a whole answer with its end of turn, which the source takes off.",
      "Four episodes are played for a task; the source draws two answers to a question. All its draws are at temperature 0.8 and top-p 0.95.",
      "Beta is 0.1, and pairs are learned from once, update by update; published code trains on a data set with beta 0.5 for 8 epochs (7B; 0.4 and 4 for 72B; 0.05 and 2 in its configuration alone) at 5e-7, 128 pairs a step, a warm-up over a tenth and a cosine to 0.",
      "A pair that is longer than the model's context is left out; the source cuts prompts to their last 512 tokens where a row has more than 1,024.",
      "Both sides of a pair share every token before the step, so only the step has a gradient, as in the source.",
    ],
  },
  credit: "grpo",
  strategy: { name: "counterfactual", options: { of: "all", at: "uncertain", alternatives: 3 } },
  settings: { ...pairSettings("siblings"), group: { ...sharedSettings.group, default: 4 } },
  update: async (update, settings) => await preferenceUpdate(update, settings, "siblings"),
});
