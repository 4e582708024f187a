/**
 * SDFT, or OPSD: the policy is its own teacher, with a demonstration in front of it.
 *
 * A model that is shown how a task is done already does it; what it lacks is doing so without being shown. So it plays
 * without help, reads its own words again with the demonstration before them, and learns to say the same without.
 */
import { option } from "limbeck-base/base/option";
import type { Objective } from "limbeck-policy/policy/objective";
import { candidateDivergence } from "../objective/candidate-divergence.ts";
import { taughtAfter } from "./taught-rows.ts";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";
import type { TeachRequest } from "../update/teach.ts";

export const sdft = defineRecipe({
  info: {
    title: "SDFT / OPSD",
    paper: "Self-distillation fine-tuning and on-policy self-distillation with privileged context, published code",
    confidence: "code",
    source:
      "thinking-machines-lab/tinker-cookbook @ 9dfcc3a2; tinker_cookbook/distillation/sdft.py: build_topk_distillation_datums",
    meaning: "Plays without help and learns to say what it would say with a demonstration in view.",
    departures: [
      "The teacher is the frozen start, as in the code that was read, which can also copy the policy into it every so many updates; the paper's is a running average that forgets 0.01 an update (setting teacher; teacherDecay is 0.95).",
      "The first tokens of an answer are taught too (setting skipTokens); published code skips three of each response, which is most of an action here, where every turn is an answer. It skips none in its sampled-token form; here the setting counts in all forms.",
      "A task without a demonstration is an error unless missing=skip; published data has one for each.",
      "Published losses are sums over tokens; here the mean over all taught tokens.",
      "Its reverse form is over the teacher's 20 likeliest words, renormalised on both sides, with the difference of logarithms stopped; here over all words. Its sampled-token form is marked deprecated there, and has no clip.",
      "Published runs have one answer of up to 2,048 tokens for each of 32 questions, adapters of rank 128, rate 2e-5 (its notes advise 5e-4 to 1e-3), beta2 0.95 and gradients that are not clipped; here 8 of 8 at 3e-4, 0.999 and a norm of 1. Preset paper has all but the length and the adapters.",
      "OPSD's own code (siyan-zhao/OPSD @ 590ec26) compares whole distributions in the middle (jsd, beta 0.5) with both logits divided by 1.1, on answers drawn at temperature 1.1, top-p 0.95 and top-k 20; here there is no such form (pw-opsd has jsd).",
      "What is shown is the demonstrator's actions (the first 40, setting context.steps) as one line of text, in every turn; published code puts the answer after the question in a template that asks for an own response.",
    ],
  },
  credit: "opd",
  settings: {
    ...instructSettings({ teacher: "reference", context: "reference-solution", guard: true }),
    form: option.choice(
      "words",
      ["words", "shift", "reverse"],
      "words: cross-entropy of the teacher's likeliest words; shift: of the sampled token, as an advantage; reverse: exact divergence over all words",
    ),
    candidates: option.count(20, "words: how many"),
    skipTokens: option.count(0, "first tokens of an answer, not taught", 0),
    missing: option.choice("fail", ["fail", "skip"], "what an episode without a demonstration means"),
  },
  presets: {
    paper: {
      skipTokens: 3,
      guard: false,
      tasks: 32,
      group: 1,
      answerTokens: 2048,
      learningRate: 2e-5,
      beta2: 0.95,
      clipNorm: null,
    },
  },
  update: async (update, settings) => {
    // 1. Play without help.
    const episodes = await collect(update);

    // 2. Read the same words with the demonstration in view.
    const { form, skipTokens, missing } = settings;
    const said = await teachOnSchedule(update, settings, episodes, { ...widthOf(settings), missing });
    if (said === undefined) return;

    // 3. Match without it the distribution with it.
    const { rows } = await credit(update, episodes, said);
    const taught = taughtAfter(rows, skipTokens);
    await learn(update, taught, form === "shift" ? "clipped" : { name: "policy", weight: 1, objective: lossOf(form) });
  },
});

type Form = "words" | "shift" | "reverse";

function widthOf({
  form,
  candidates,
}: {
  readonly form: Form;
  readonly candidates: number;
}): Pick<TeachRequest, "candidates"> {
  return { candidates: form === "shift" ? null : form === "words" ? candidates : "all" };
}

function lossOf(form: Exclude<Form, "shift">): Objective {
  const direction = form === "words" ? "cross-entropy" : "reverse";
  return candidateDivergence.create({ direction });
}
