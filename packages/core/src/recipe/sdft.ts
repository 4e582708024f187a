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
      "The teacher is the frozen start, as in the code that was read; the paper's is a running average (setting teacher).",
      "The first tokens of an answer are taught too (setting skipTokens); published code skips three, which is most of an action here.",
      "A task that nobody can demonstrate is an error unless missing=skip.",
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
  presets: { paper: { skipTokens: 3, guard: false, learningRate: 2e-5 } },
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
