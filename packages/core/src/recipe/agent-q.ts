/** Agent Q: each task is searched with a tree of the policy's own actions, and siblings of the tree are compared. */
import { option } from "limbeck-base/base/option";
import { createSearch } from "../search/registry.ts";
import { learnPreferences, pairSettings, preferenceSettings } from "./prefer.ts";
import { defineRecipe } from "./recipe.ts";
import { searchStrategy } from "./search-strategy.ts";
import { collect } from "../update/collect.ts";

export const agentQ = defineRecipe({
  info: {
    title: "Agent Q",
    paper: "Agent Q: Advanced Reasoning and Learning for Autonomous AI Agents, arXiv 2408.07199",
    confidence: "paper",
    source: "arXiv 2408.07199, section 5: search, critique and preferences between siblings",
    meaning:
      "Searches each task with a tree of its own actions and prefers, among siblings, those that search and critique together value more.",
    departures: [
      "The critique is the policy's own likelihood, which ranks the candidates: a small model cannot judge itself in words (search agent-q asks a text model where it is given one).",
      "The likelihoods at the time of acting stand for the reference, as published (setting reference).",
      "The setting group is not used: how much is played for a task is searchSteps.",
      "Reported success of an update is that of all branches of the trees, not of the policy.",
    ],
  },
  // Nobody asks for advantages.
  credit: "grpo",
  settings: {
    ...pairSettings("agent-q"),
    reference: { ...preferenceSettings.reference, default: "logged" },
    search: option.choice("agent-q", ["agent-q", "mcts"], "the tree search; mcts knows no critique"),
    searchSteps: option.count(96, "environment steps of one task's tree"),
    width: option.count(3, "actions asked for at a node", 2),
    exploration: option.number(1, "how much little-visited actions are preferred", { least: 0 }),
  },
  playsItself: true,
  update: async (update, settings) => {
    const { search, width, exploration, searchSteps } = settings;
    const episodes = await collect(
      update,
      searchStrategy({
        // A tree that stops at the first success has little to compare it with.
        search: () => createSearch(search, { width, exploration, stop: false, iterations: 10_000 }),
        budget: { envSteps: searchSteps },
      }),
    );
    await learnPreferences(update, settings, "agent-q", episodes);
  },
});
