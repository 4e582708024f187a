/** HGPO: Compares steps from the same state within groups of ever longer shared history. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const hgpo = defineRecipe({
  info: {
    title: "HGPO",
    paper: "Hierarchy-of-groups policy optimisation for long-horizon agents",
    confidence: "code",
    source: "OliverLeeXZ/SERL @ 5a2a85b1; recipe/hgpo/core_hgpo.py: compute_hgpo_outcome_advantage",
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
