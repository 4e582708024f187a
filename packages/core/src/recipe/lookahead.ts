/** Lookahead distillation: what a search around a state finds becomes a short chain of causes and effects to learn. */
import { option } from "limbeck-base/base/option";
import { lookaheads } from "../distill/imitation/lookahead.ts";
import { learnLessons, rowsOfLessons, thoughtfulAnswer, thoughtSettings } from "./imitate.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";

export const lookahead = defineRecipe({
  info: {
    title: "Lookahead distillation (ProAct)",
    paper: "ProAct: Agentic Lookahead in Interactive Environments",
    confidence: "paper",
    source: "arXiv 2602.05327, section on grounded lookahead distillation",
    meaning:
      "Tries several ways on from each state in copies of the world, and learns the best action together with where it leads and where the others would.",
    departures: [
      "Ways on are the policy's own, walked to the end (strategy alternatives); the source runs MCTS. Values are the best return found behind an action.",
      "The chain is written from the observations by a template; the source lets a language model compress the tree.",
      "The second half of ProAct, values from random play, is credit mc-critic with continuations.by=random.",
      "A chain is learned after the action unless thought=before: a small model that only says actions could not act any more.",
    ],
  },
  // Nobody asks for advantages.
  credit: "grpo",
  strategy: { name: "alternatives", options: { by: "policy", count: 2, depth: null } },
  settings: {
    chain: option.count(3, "steps of the chain"),
    others: option.count(2, "other ways that are named", 0),
    gamma: option.share(0.95, "discount: sooner is better"),
    gap: option.number(0, "how much better the best way must be", { least: 0 }),
    ...thoughtSettings,
    tasks: { ...sharedSettings.tasks, default: 4 },
    group: { ...sharedSettings.group, default: 1 },
  },
  update: async (update, { thought: place, thoughtWeight, chain: depth, others, gamma, gap }) => {
    const episodes = await collect(update);
    const lessons = lookaheads(episodes, { place, write: thoughtfulAnswer, depth, others, gamma, gap });
    await learnLessons(update, rowsOfLessons(update, "chains", lessons, episodes, thoughtWeight));
  },
});
