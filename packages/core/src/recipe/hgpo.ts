/** HGPO: Compares steps from the same state within groups of ever longer shared history. */
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const hgpo = defineRecipe({
  info: {
    title: "HGPO",
    paper: "Hierarchy-of-Groups Policy Optimization for Long-Horizon Agentic Tasks",
    confidence: "code",
    source: "OliverLeeXZ/SERL @ 5a2a85b1; recipe/hgpo/core_hgpo.py: compute_hgpo_outcome_advantage",
    meaning: "Compares steps from the same state within groups of ever longer shared history.",
    departures: [
      "Where all episodes of a task end alike, an invalid action costs nothing here: a policy that never succeeds would learn from the penalty alone, and fall silent. Published code lets it cost there too. Setting penaltyGroups.",
      "The episode's own group is one more level for every step (baseGroup), so that a step in a state that no other row shares learns from the outcome; published scripts have it off, and such a step has 0. A step at +1 by its state whose episode is at -1 has +0.33 here and +1 there.",
      "Published ALFWorld scripts: 16 tasks of 8 episodes an update, rate 1e-6, steps of 256 rows (WebShop 64), divergence from the start 0.01 (k3), entropy bonus 0.001 and weight decay 0.01 by configuration, prompts with 2 or 4 turns of history, 50 steps an episode. Here 8 tasks of 8, rate 1e-4, one step an update, none of the divergence, bonus and decay, one growing conversation, the world's own steps.",
      "With one step an update the clipped loss is the plain gradient; published code takes several steps, so its clip (0.2, dual clip 3, as here) acts.",
      "Published code copies random rows after the advantages, until the batch divides by its workers; here no row is copied.",
    ],
  },
  credit: "hgpo",
  creditDefaults: { baseGroup: true },
  settings: {},
  update: groupUpdate("clipped"),
});
