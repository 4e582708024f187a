/**
 * SDPO: the policy reads feedback on its own attempt and becomes its own teacher.
 *
 * After a group of attempts there is more to read than a reward: what the world refused, and how a sibling succeeded. The
 * same model, with that in front of it, scores the attempt again; what it would now say differently is what the attempt
 * teaches. An attempt with nothing to read about it is left out.
 */
import { option } from "limbeck-base/base/option";
import { divergenceSettings, widthOf, type DivergenceSettings } from "./divergence-form.ts";
import type { Objective } from "limbeck-policy/policy/objective";
import { policyGradient } from "../objective/policy-gradient.ts";
import { sdpo as sdpoLoss } from "../objective/sdpo.ts";
import type { Aggregation } from "../objective/aggregation.ts";
import { taughtAfter } from "./taught-rows.ts";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";

export const sdpo = defineRecipe({
  info: {
    title: "SDPO",
    paper: "SDPO: Self-Distillation Policy Optimization, published code",
    confidence: "code",
    source:
      "lasgroup/SDPO @ 0e6d5106; verl/trainer/ppo/ray_trainer.py: _maybe_build_self_distillation_batch; core_algos.py: compute_self_distillation_loss",
    meaning: "Reads feedback on its own attempts, and learns to say without it what it would say after reading.",
    departures: [
      "The teacher is the frozen start (setting teacher), published code's a running average that forgets 0.05 an update: at this size an average follows the policy and forgets how to read feedback. Its mixture of the start's and the policy's logits (trust-region) does not exist here; teacher=mixture averages probabilities.",
      "Feedback is what the world refused, its verdict, and the shortest solution of a sibling, together (context.siblings, context.refusals). Published code takes the first other success of reward 0.5 or more, as the whole response without its thoughts, and the world's words only where there is none; its run without rich feedback shows no words of the world (context.refusals).",
      "The sampled token is compared by default, in published code the policy's 100 likeliest words in the middle direction; candidates of jsd are here the likeliest words of both sides, of forward the teacher's.",
      "Means are of the rows that have a teacher. Published code's are over the tokens of a micro-batch, which is one answer, so of rows too, but with 0 for those without a teacher (half of them so: half the loss); preset paper has the name of its setting, token-mean, over the whole update. It also multiplies each token by the trainer's ratio to the sampler, at most 2.",
      "teacherWeight below 1 mixes in GRPO; this release of the published code has the teacher's loss alone. Where no attempt has a teacher nothing is learned there either; with the teacher silenced or off schedule the outcome is learned here.",
      "Published configuration has 32 prompts of 8 answers, rate 1e-5, weight decay 0.01, and its run without rich feedback 10 updates of warm-up; the run with rich feedback has 20 words, reverse, rate 1e-6, 32 steps an update, and an average that is asked to forget 0.01. Here 8 tasks of 8, rate 3e-4, no decay; preset paper has the former, but shows what the world refused (that run: context.refusals=false).",
    ],
  },
  credit: "grpo",
  settings: {
    ...instructSettings({ teacher: "reference", context: "feedback", guard: true }),
    ...divergenceSettings({ form: "sampled", direction: "forward", clamp: null }),
    teacherWeight: option.share(1, "share of the teacher; the rest is GRPO"),
    importanceCap: option.number(2, "largest importance of a token", { least: 0 }),
    aggregation: { ...sharedSettings.aggregation, default: "seq-mean-token-mean" },
  },
  presets: {
    paper: {
      teacher: "ema",
      teacherDecay: 0.95,
      answerTokens: 8192,
      guard: false,
      form: "candidates",
      direction: "jsd",
      candidates: 100,
      aggregation: "token-mean",
      tasks: 32,
      group: 8,
      learningRate: 1e-5,
      warmup: 10,
      weightDecay: 0.01,
    },
  },
  update: async (update, settings) => {
    // 1. Attempts, in groups.
    const episodes = await collect(update);

    // 2. The same words, read with the feedback in view.
    const said = await teachOnSchedule(update, settings, episodes, widthOf(settings));
    const { rows } = await credit(update, episodes, said);

    // 3. Learn from the teacher, from the outcome, or from both.
    const { teacherWeight, aggregation } = settings;
    const outcome = {
      name: "outcome",
      weight: said === undefined ? 1 : 1 - teacherWeight,
      objective: policyGradient.create({ aggregation, ratio: true }),
    };
    if (said === undefined) {
      await learn(update, rows, outcome);
      return;
    }
    const teacher = { name: "policy", weight: teacherWeight, objective: lossOf(settings, aggregation) };
    await learn(update, teacherWeight === 1 ? taughtAfter(rows) : rows, teacher, [outcome]);
  },
});

function lossOf(
  { form, direction, middle, rest, clamp, importanceCap }: DivergenceSettings & { readonly importanceCap: number },
  aggregation: Aggregation,
): Objective {
  const chosen = form === "sampled" ? "sampled" : direction;
  return sdpoLoss.create({ form: chosen, beta: middle, rest, clamp, cap: importanceCap, aggregation });
}
