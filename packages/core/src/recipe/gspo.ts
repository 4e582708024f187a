/** GSPO: GRPO with one ratio for the whole response instead of one for each token. */
import { option } from "limbeck-base/base/option";
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const gspo = defineRecipe({
  info: {
    title: "GSPO",
    paper: "arXiv 2507.18071",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_policy_loss_gspo",
    meaning: "GRPO with one ratio for the whole response instead of one for each token.",
    departures: [
      "A row is a token stream: with one growing conversation (the default) a whole episode, so the ratio is that of the episode; with prompts made anew, that of one answer.",
      "Four mini-batches of an update, as in three of five published scripts (512 or 256 prompts of 16 answers, two take eight), there ordered so that devices have equal work; here of 8 tasks of 8 episodes, shuffled.",
      "Published scripts have the rate 1e-6, most of them warmed up over 5% of the steps or 10 steps, with a weight decay of 0.1; here 3e-4 from the first step, and no decay.",
    ],
  },
  credit: "grpo",
  settings: {
    aggregation: option.choice(
      "seq-mean-token-mean",
      ["seq-mean-token-mean"],
      "from losses per token to one; the method is defined with this one only",
    ),
    clipLow: option.number(3e-4, "how far the ratio may fall below 1", { least: 0, most: 1 }),
    clipHigh: option.number(4e-4, "how far the ratio may rise above 1", { least: 0 }),
    miniBatches: option.count(4, "steps of the optimiser per epoch"),
  },
  update: groupUpdate("gspo"),
});
