/** PBSD: an outcome is shared among the turns by how much each supports the verified answer. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const pbsd = defineRecipe({
  info: {
    title: "PBSD",
    paper: "PBSD: Privileged Bayesian Self-Distillation for Long-Horizon Credit Assignment",
    confidence: "reading",
    source: "public notes on arXiv 2606.09348: the ratio of likelihoods with and without the answer, turn by turn",
    meaning:
      "Scores the policy's own words once more with the solution in view, and gives the turns that it speaks for more of the outcome.",
    departures: [
      "Read in notes of others, which leave the weights open: those of the turns are the credit method pbsd's.",
      "Who scores is the policy itself and nobody else: the evidence is a ratio of one and the same policy with and without the answer.",
    ],
  },
  credit: "pbsd",
  settings: {},
  update: groupUpdate("clipped"),
});
