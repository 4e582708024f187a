/** Maestro: a policy that asks frozen experts, learns from the outcome less what they cost. */
import { EngineError } from "limbeck-base/base/errors";
import { isOrchestrated } from "../orchestrate/with-experts.ts";
import { choosingSettings } from "./choosing-settings.ts";
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const maestro = defineRecipe({
  info: {
    title: "Maestro",
    paper: "Maestro: Reinforcement Learning to Orchestrate Hierarchical Model-Skill Ensembles",
    confidence: "inferred",
    meaning:
      "Learns from outcomes whom to ask, when to act by itself and when to stop, with what experts cost taken off.",
    departures: [
      "Known from its abstract only. Experts are given with --experts; only the orchestrator's own tokens are trained.",
      "With answers listed an expert is asked by name and gets the goal as its question; with answers free the policy writes the question.",
    ],
  },
  credit: "grpo",
  settings: choosingSettings,
  world: (env) => {
    if (isOrchestrated(env)) return env;
    throw new EngineError(
      "needs-unmet",
      `The recipe maestro needs experts to ask, and the world ${env.id} has none here. Give --experts FILE (docs/lookup/orchestrate.md), or wrap the world with withExperts.`,
    );
  },
  update: groupUpdate("clipped"),
});
