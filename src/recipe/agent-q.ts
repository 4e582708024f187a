/** Agent Q: a tree of own actions around each task, and preferences between its siblings. */
import { pairSettings, preferenceUpdate } from "./prefer.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "./settings.ts";

export const agentQ = defineRecipe({
  info: {
    title: "Agent Q",
    paper: "Agent Q: Advanced Reasoning and Learning for Autonomous AI Agents, arXiv 2408.07199",
    meaning: "Searches each task with a tree of its own actions and prefers siblings that search values more.",
    departures: ["The likelihoods at the time of acting stand for the reference, as published (setting reference)."],
  },
  credit: "grpo",
  strategy: { name: "tree", options: { when: "disagreement" } },
  settings: {
    ...pairSettings("agent-q"),
    group: { ...sharedSettings.group, default: 8 },
  },
  presets: {},
  update: preferenceUpdate("agent-q"),
});
