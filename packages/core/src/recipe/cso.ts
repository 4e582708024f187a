/** CSO: preferences only at steps that are proven to have decided a failed run. */
import { pairSettings, preferenceUpdate } from "./prefer.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";

export const cso = defineRecipe({
  info: {
    title: "CSO",
    paper: "Verified Critical Step Optimization for LLM Agents",
    confidence: "inferred",
    meaning:
      "Looks back at failed episodes and learns only from steps where another action, with the policy's own continuation, ends in success.",
    departures: [
      "From the abstract. Candidates are the least likely answers of a failed episode; with a trained scorer (--scorer NAME and strategy.at=judge) those after which its chance fell most, as a process reward model flags them in the publication.",
      "Alternatives are the policy's own (setting strategy.from); the preset paper asks the world's demonstrator as the expert.",
    ],
  },
  credit: "grpo",
  strategy: { name: "counterfactual", options: { of: "failed", at: "uncertain", points: 2, alternatives: 4 } },
  settings: { ...pairSettings("cso"), group: { ...sharedSettings.group, default: 4 } },
  presets: { paper: { "strategy.from": "corrector", "strategy.alternatives": 1, "strategy.points": 3 } },
  update: async (update, settings) => await preferenceUpdate(update, settings, "cso"),
});
