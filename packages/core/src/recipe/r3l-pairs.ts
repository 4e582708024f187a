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
      "R3L trains with advantages: that is the recipe r3l. The same retries are used as pairs here, by direct preference optimisation (beta 0.1), which R3L does not have.",
      "Who reflects is the world's demonstrator unless a chat model is given to the rollout; in published code the policy itself does.",
      "Only failed attempts are begun again by default, so that pairs of two successes, the shorter one preferred, need strategy.retry=all; published code retries whatever its reflection does not call optimal.",
      "reference=logged ends in an error: the likelihoods of a retry were those with the advice in view.",
      "Published code also learns the reflections, and the retries with the guidance in view; here neither.",
    ],
  },
  credit: "grpo",
  strategy: { name: "retry", options: {} },
  settings: pairSettings("r3l"),
  update: async (update, settings) => await preferenceUpdate(update, settings, "r3l"),
});
