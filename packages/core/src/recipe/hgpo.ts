/** HGPO: Compares steps from the same state within groups of ever longer shared history. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const hgpo = defineRecipe({
  info: {
    title: "HGPO",
    paper: "Hierarchy-of-groups policy optimisation for long-horizon agents",
    confidence: "code",
    meaning: "Compares steps from the same state within groups of ever longer shared history.",
    departures: [
      "Steps in states that nobody shared learn from the outcome of their episode (baseGroup); published code leaves them out.",
    ],
  },
  credit: "hgpo",
  creditDefaults: { baseGroup: true },
  settings: {},
  update: groupUpdate("clipped"),
});
