/** PBSD: an outcome is shared among the turns by how much each supports the verified answer. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const pbsd = defineRecipe({
  info: {
    title: "PBSD",
    paper: "PBSD: Privileged Bayesian Self-Distillation for Long-Horizon Credit Assignment",
    confidence: "inferred",
    meaning:
      "Scores the policy's own words once more with the solution in view, and gives the turns that it speaks for more of the outcome.",
    departures: [
      "Only the abstract was read; the weights of the turns are those of the credit method pbsd.",
      "Who scores is the policy itself and nobody else: the evidence is a ratio of one and the same policy with and without the answer.",
    ],
  },
  credit: "pbsd",
  settings: {},
  update: groupUpdate("clipped"),
});
