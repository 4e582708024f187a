/** GRPO: Compares each episode with the others of its task. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const grpo = defineRecipe({
  info: {
    title: "GRPO",
    paper: "DeepSeekMath, arXiv 2402.03300",
    meaning: "Compares each episode with the others of its task.",
    departures: [],
  },
  credit: "grpo",
  settings: {},
  presets: {},
  update: groupUpdate("clipped"),
});
