/**
 * SCOPE-A, signal-calibrated on-policy distillation.
 *
 * Solved and failed episodes teach different things. A failed one needs correction, and the teacher's is worth most where
 * the teacher itself finds the text likely; a solved one needs none, and is worth most where the policy hardly believed in
 * it. So episodes go two ways, each with weights of its own.
 */
import { onlyRows } from "../objective/only-rows.ts";
import { allObjectives } from "../objective/registry.ts";
import { divergenceSettings, widthOf } from "./divergence-form.ts";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";

export const scopeA = defineRecipe({
  info: {
    title: "SCOPE-A",
    paper: "SCOPE: Signal-Calibrated On-Policy Distillation Enhancement with Dual-Path Adaptive Weighting",
    confidence: "code",
    source: "machine981/SCOPE @ 085fdc28; README.md, verl/workers/actor/dp_actor.py, run_experiment_qwen_1_7b.sh",
    meaning: "Pulls failed episodes to the teacher and imitates solved ones, each weighed by perplexity.",
    departures: [
      "The released code weighs the likeliest solutions most, the opposite of its README, which is followed here (credit scope-a).",
      "Failed episodes have a mean of their own, as in the README; in the released scripts theirs is over all tokens.",
      "The teacher is the frozen start that has read a hindsight skill; it reads failed episodes only. Preset paper: a model of its own, told nothing.",
    ],
  },
  credit: "scope-a",
  settings: {
    ...instructSettings({ teacher: "reference", context: "skill", guard: true }),
    ...divergenceSettings({ form: "sampled", direction: "reverse", clamp: null }),
    clipLow: sharedSettings.clipLow,
    clipHigh: sharedSettings.clipHigh,
    dualClip: sharedSettings.dualClip,
    aggregation: sharedSettings.aggregation,
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
    const { rows: all } = await credit(update, episodes, said, { creditOptions: { divergence: wide } });
    // What failed and has no teacher says nothing, and is in no mean.
    const rows = all.filter(({ advantages }) => advantages?.some((one) => one !== 0));
    const { direction, middle: beta, rest, clamp, aggregation } = settings;
    if (wide) {
      const objective = allObjectives["scope-a"].create({ direction, beta, rest, clamp, aggregation });
      await learn(update, rows, { name: "policy", weight: 1, objective });
      return;
    }
    const wrong = new Set(failed.map(({ id }) => id));
    const isWrong = ({ trajectory }: TrainRow): boolean => wrong.has(trajectory ?? "");
    const { clipLow, clipHigh, dualClip } = settings;
    const pull = allObjectives.clipped.create({ clipLow, clipHigh, dualClip, aggregation });
    const imitate = allObjectives["policy-gradient"].create({ aggregation });
    await learn(update, rows, { name: "policy", weight: 1, objective: onlyRows(pull, isWrong) }, [
      { name: "imitation", weight: 1, objective: onlyRows(imitate, (row) => !isWrong(row)) },
    ]);
  },
});
