/** REINFORCE++: Normalises returns over the whole batch instead of within groups. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const reinforcePlusPlus = defineRecipe({
  info: {
    title: "REINFORCE++",
    paper: "arXiv 2501.03262",
    confidence: "code",
    meaning: "Normalises returns over the whole batch instead of within groups.",
    departures: [],
  },
  credit: "reinforce-plus-plus",
  settings: {},
  update: groupUpdate("clipped"),
});
