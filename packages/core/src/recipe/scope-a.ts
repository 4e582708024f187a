/**
 * SCOPE-A, signal-calibrated on-policy distillation.
 *
 * Solved and failed episodes teach different things. A failed one needs correction, and the teacher's is worth most where
 * the teacher itself finds the text likely; a solved one needs none, and is worth most where the policy hardly believed in
 * it. So episodes go two ways, each with weights of its own.
 */
import { allObjectives } from "../objective/registry.ts";
import { divergenceSettings, widthOf } from "./divergence-form.ts";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";

export const scopeA = defineRecipe({
  info: {
    title: "SCOPE-A",
    paper: "SCOPE: Signal-Calibrated On-Policy Distillation Enhancement with Dual-Path Adaptive Weighting",
    confidence: "inferred",
    meaning: "Pulls failed episodes to the teacher and imitates solved ones, each weighed by perplexity.",
    departures: [
      "Only the abstract was read; the limits of the weights are ours, and which failures count more is an option (credit.reliable).",
      "The teacher is the frozen start that has read a hindsight skill; it reads failed episodes only.",
    ],
  },
  credit: "scope-a",
  settings: {
    ...instructSettings({ teacher: "reference", context: "skill", guard: true }),
    ...divergenceSettings({ form: "sampled", direction: "reverse", clamp: null }),
    aggregation: { ...sharedSettings.aggregation, default: "seq-mean-token-mean" },
  },
  presets: { paper: { teacher: "model", context: "none", guard: false } },
  update: async (update, settings) => {
    // 1. Act, and see what was solved.
    const episodes = await collect(update);
    const failed = episodes.filter(({ success, ending }) => success !== true || ending === "truncated");

    // 2. The teacher reads what failed.
    const said = await teachOnSchedule(update, settings, failed, widthOf(settings));

    // 3. Correct the ones, imitate the others.
    const wide = settings.form !== "sampled" && said !== undefined && said.opinions.size > 0;
    const { rows } = await credit(update, episodes, said, { creditOptions: { divergence: wide } });
    if (!wide) {
      await learn(update, rows, "clipped");
      return;
    }
    const { direction, middle: beta, rest, clamp, aggregation } = settings;
    const objective = allObjectives["scope-a"].create({ direction, beta, rest, clamp, aggregation });
    await learn(update, rows, { name: "policy", weight: 1, objective });
  },
});
