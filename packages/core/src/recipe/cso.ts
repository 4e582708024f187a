/** CSO: preferences only at steps that are proven to have decided a failed run. */
import { pairSettings, preferenceUpdate } from "./prefer.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";

export const cso = defineRecipe({
  info: {
    title: "CSO",
    paper: "Verified Critical Step Optimization for LLM Agents",
    confidence: "code",
    source:
      "kiaia/CSO @ 55e10b4b; scripts/data_processing/verify_and_generate_dpo.py: find_candidate_pairs_for_verification, continue_from_step_with_candidate",
    meaning:
      "Looks back at failed episodes and learns only from steps where another action, with the policy's own continuation, ends in success.",
    departures: [
      "A step of a failed episode is tried if the judge of steps gave it less than 0.5 and one of two alternatives more than 0.6; the best one goes on. At most strategy.points steps of an episode, the lowest scores first; the published code takes every one, and stops a continuation after 10 steps.",
      "The judge is a trained scorer (--scorer NAME), whose score of a step is what became of the chance of success, c' / (c + c'), so that the first step has no score and is not tried; or the judge of steps itself. Both see what came of a step; the published one reads a candidate before it acts, with the last three steps. Without a judge the least likely answers are tried, and every alternative goes on.",
      "Alternatives are the policy's own (setting strategy.from); the preset paper asks the world's demonstrator in the place of the larger model, for one alternative, since it would repeat itself.",
      "One published script asks GPT-4.1 in one answer for two alternatives that differ from the original, at every step but the last. The one whose output is verified draws three candidates with the policy itself at temperature 0, each asked to differ from those before, at every step, and Claude 3.7 scores them; a score that cannot be read is 0.5. Here two alternatives are drawn by themselves at temperature 1 and may repeat the original, and a step without a score is not tried where another has one.",
      "Episodes and their continuations are played at temperature 1; the published ones at 0.2, with the likeliest words that make up 0.95.",
      "Four episodes of a task are played (group); the published script plays a task up to three times, until a judge that does not know the answer finds no failure, and keeps the last.",
      "The loss is DPO on the pairs of one update, learned from once; the published code trains on a data set for 3 epochs at 5e-6, with no beta named (LLaMA-Factory's, 0.1, as here).",
    ],
  },
  credit: "grpo",
  strategy: {
    name: "counterfactual",
    options: { of: "failed", at: "judge", below: 0.5, above: 0.6, points: 4, alternatives: 2 },
  },
  settings: { ...pairSettings("cso"), group: { ...sharedSettings.group, default: 4 } },
  presets: { paper: { "strategy.from": "corrector", "strategy.alternatives": 1, learningRate: 5e-6 } },
  update: async (update, settings) => await preferenceUpdate(update, settings, "cso"),
});
