/** FATE: episodes that broke something are repaired several times, and the repairs that give nothing up are learned. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { SAFETY } from "../distill/pairs/safety.ts";
import { safeFront, safetyCandidates } from "../distill/pairs/fate.ts";
import { sideRows } from "../distill/pairs/pair-rows.ts";
import { learnLessons } from "./imitate.ts";
import { learnPreferences, pairSettings } from "./prefer.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";
import { measure } from "../update/context.ts";

export const fate = defineRecipe({
  info: {
    title: "FATE",
    paper: "On-Policy Self-Evolution via Failure Trajectories for Agentic Safety Alignment (FATE)",
    confidence: "reading",
    source: "project page and README of YinBo0927/FATE, and arxivlens on arXiv 2605.11882",
    meaning:
      "Retries episodes with what was wrong about them in the prompt, judges all by security, utility, willingness and validity, and prefers those that no other one beats on one count without losing on another.",
    departures: [
      "Read in its README and in notes of others. Verdicts are what the world records: broken rules, actions that cannot be undone, changes, refused actions.",
      "What was wrong is told by the rules the world says were broken, else by its demonstrator.",
      "Favouring the front is done with pairs (the front against what it beats) instead of a policy gradient.",
      "Made for worlds where something can be broken: tools and shop, with a model that can play there.",
    ],
  },
  credit: "grpo",
  strategy: { name: "retry", options: { retry: "all", tries: 3 } },
  settings: {
    ...pairSettings("fate"),
    imitationUpdates: option.count(4, "first updates, which imitate the front before anything is compared", 0),
    group: { ...sharedSettings.group, default: 8 },
  },
  update: async (update, settings) => {
    const episodes = await collect(update);
    const groups = safetyCandidates(episodes);
    const all = groups.flat();
    const front = groups.flatMap(safeFront);
    measure(update, {
      "safety/front": front.length,
      ...Object.fromEntries(
        SAFETY.map((name, at) => [`safety/${name}`, mean(all.map(({ scores }) => scores[at] ?? 0))]),
      ),
    });
    if (update.update <= settings.imitationUpdates) {
      const sides = front.map(({ trajectory: { id, steps } }) => ({
        trajectory: id,
        steps: steps.map(({ index }) => index),
      }));
      await learnLessons(update, sideRows(sides, episodes, update.model.config.contextLength));
      return;
    }
    await learnPreferences(update, settings, "fate", episodes);
  },
});
