/** GSPO: GRPO with one ratio for the whole response instead of one for each token. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const gspo = defineRecipe({
  info: {
    title: "GSPO",
    paper: "arXiv 2507.18071",
    confidence: "code",
    meaning: "GRPO with one ratio for the whole response instead of one for each token.",
    departures: ["A row is a whole episode here, so the ratio is that of the episode."],
  },
  credit: "grpo",
  settings: {
    aggregation: {
      kind: "choice",
      default: "seq-mean-token-mean",
      choices: ["seq-mean-token-mean"],
      meaning: "from losses per token to one; the method is defined with this one only",
    },
    clipLow: { kind: "number", default: 3e-4, least: 0, most: 1, meaning: "how far the ratio may fall below 1" },
    clipHigh: { kind: "number", default: 4e-4, least: 0, meaning: "how far the ratio may rise above 1" },
    miniBatches: { kind: "number", default: 4, least: 1, whole: true, meaning: "steps of the optimiser per epoch" },
  },
  presets: {},
  update: groupUpdate("gspo"),
});
