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
      "Failed episodes have a mean of their own, as in the README; in the released scripts theirs is over all tokens, of solved responses too. Means are over a whole step here, over a micro-batch there.",
      "The teacher is the frozen start that has read a hindsight skill; it reads failed episodes only. Preset paper: a model of its own, without a hint. The released teacher scores solved responses too, without use.",
      "Released scripts: 256 prompts of 8 answers of up to 12,288 tokens at temperature 0.6, rate 5e-5, weight decay 0.01. Here 8 tasks of 8, rate 3e-4, no decay; preset paper has all of it but the temperature, which is always 1.",
      "Rows whose advantages are all 0 are left out of every mean; there they count.",
      "Forms candidates and vocabulary follow the code's loss over top words (distill_signal_in_loss), which its scripts have off; there candidates are the teacher's, here those of the policy for the reverse direction. Its third form (more than one word with that switch off), minus the divergence as advantage and failures weighed by it too, and its fourth (one word with that switch on: k3 to the teacher in the loss) do not exist here. With form sampled, the default, the shift is the advantage (no k3), as in the scripts, and clamp has no effect.",
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
  presets: {
    // run_experiment_qwen_1_7b.sh.
    paper: {
      teacher: "model",
      context: "none",
      guard: false,
      tasks: 256,
      group: 8,
      answerTokens: 12_288,
      learningRate: 5e-5,
      weightDecay: 0.01,
    },
  },
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
