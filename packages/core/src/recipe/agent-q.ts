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
    source:
      "arXiv 2408.07199, sections 3.2.2, 5.1 and 5.2: logged likelihoods, search, critique and preferences between siblings",
    meaning:
      "Searches each task with a tree of its own actions and prefers, among siblings, those that search and critique together value more.",
    departures: [
      "The critique is the policy's own likelihood, which ranks the candidates: a small model cannot judge itself in words. The paper asks the frozen base model (search agent-q asks a text model where it is given one).",
      "The likelihoods at the time of acting stand for the reference, as in section 3.2.2 (setting reference). The runs on OpenTable begin with one round of supervised learning on 600 successes; here the policy begins as it is.",
      "The setting group is not used: how much is played for a task is searchSteps (96), with three actions at a node; the paper gives no number of rounds, candidates (K) or tasks, nor alpha, threshold and beta. The tree does not stop at a success. Candidates and continuations are the present policy's; the paper draws candidates from the base model, and only continuations from the present one.",
      "The paper keeps trajectories and their likelihoods in a replay buffer and takes each iteration's pairs from it; here the pairs of an update are learned from once and forgotten, unless gather is set.",
      "A simulation is worth the world's score, so that a failed one counts where the world pays for a part of the errand (shop: a wrong purchase of score 0.75 is worth 0.75, which can turn a pair round); the paper gives 1 for a success and 0 for all else. Where no simulation of a task earned anything its pairs come from the critique alone, so from the policy's own likelihoods: the likelier action is preferred.",
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
