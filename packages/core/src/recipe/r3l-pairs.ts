/** Pairs from retries: what a guided second try did from the pivot on is preferred to what the first one did. */
import { pairSettings, preferenceUpdate } from "./prefer.ts";
import { defineRecipe } from "./recipe.ts";

export const r3lPairs = defineRecipe({
  info: {
    title: "R3L pairs",
    paper: "R3L: Reflect-then-Retry Reinforcement Learning, with pivotal credit and positive amplification",
    confidence: "code",
    source:
      "shiweijiezero/R3L @ d503f6c6; trinity/common/workflows/envs/R3L/alfworld/R3L_workflow.py: which retries are kept",
    meaning:
      "Begins failed episodes again at their pivot with advice, and prefers what then worked, without the advice.",
    departures: [
      "R3L trains with advantages: that is --recipe grpo --credit r3l. The same retries are used as pairs here.",
      "Who reflects is the world's demonstrator unless a chat model is given to the rollout.",
    ],
  },
  credit: "grpo",
  strategy: { name: "retry", options: {} },
  settings: pairSettings("r3l"),
  update: async (update, settings) => await preferenceUpdate(update, settings, "r3l"),
});
