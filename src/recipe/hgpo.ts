/** HGPO: Compares steps from the same state within groups of ever longer shared history. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const hgpo = defineRecipe({
  info: {
    title: "HGPO",
    paper: "Hierarchy-of-groups policy optimisation for long-horizon agents",
    confidence: "code",
    meaning: "Compares steps from the same state within groups of ever longer shared history.",
    departures: [],
  },
  credit: "hgpo",
  settings: {},
  update: groupUpdate("clipped"),
});
