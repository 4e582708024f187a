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
    confidence: "code",
    source:
      "GreatX3/ProAct @ b0046d0d; README.md: Grounded LookAhead Distillation, and examples/proact/sft.py, sft_2048.yaml: training on its data; how the data are made is not published, and arXiv 2602.05327 was not read",
    meaning:
      "Tries several ways on from each state in copies of the world, and learns the best action together with where it leads and where the others would.",
    departures: [
      "Ways on are the policy's own, two of each state, walked to the end (strategy alternatives); the source runs MCTS. Values are the best discounted return found behind an action, and what follows counts no less than 0. Where the best ways tie, as where nothing was earned, a point gives no lesson.",
      "The chain is written from the observations by a template (three steps, two other ways); the source lets a language model compress the tree.",
      "A published row is one state under a system prompt, without the turns before; here a lesson stands in the exact context of its step, with the earlier turns where the conversation grows.",
      "Lessons are made anew in every update and learned once, and a token of a chain after the action weighs 0.1 (thoughtWeight); published code (GreatX3/ProAct @ b0046d0d, examples/proact/sft_2048.yaml) has a fixed data set, 10 epochs at 5e-5 (Sokoban 2e-5) along a cosine, 16 rows a step, weight decay 0.05, beta2 0.95, epsilon 1e-5, and full weight.",
      "The second half of ProAct, values from random play, is credit mc-critic with continuations.by=random.",
      "A chain is learned after the action unless thought=before: a small model that only says actions could not act any more. In the source the thought stands before the move.",
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
