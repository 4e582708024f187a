/**
 * OPD, on-policy distillation.
 *
 * A student that learns from its teacher's texts never sees its own mistakes. Here it speaks for itself, and the teacher
 * says of every word how likely it would have been from its own mouth: a dense signal on exactly the states the student
 * gets into, at the price of one reading.
 */
import { option } from "limbeck-base/base/option";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";

export const opd = defineRecipe({
  info: {
    title: "OPD",
    paper: "On-policy distillation: arXiv 2306.13649; as an advantage, Thinking Machines 2025 and published code",
    confidence: "code",
    source: "thinking-machines-lab/tinker-cookbook @ 9dfcc3a2; tinker_cookbook/distillation/train_on_policy.py",
    meaning: "Makes the policy's own words as likely as a teacher finds them, token by token.",
    departures: [
      "There is no larger model in the box: the teacher is the frozen start that has read a hindsight skill (settings teacher, context). Give a better one with teacher=model and teacherSource=FOLDER.",
      "The outcome has no part unless credit.rewardWeight is set.",
    ],
  },
  credit: "opd",
  settings: {
    ...instructSettings({ teacher: "reference", context: "skill", guard: true }),
    taught: option.choice("all", ["all", "failed"], "which episodes the teacher reads; failed: as in HyperEyes"),
  },
  presets: {
    // Published code: a larger model reads the plain text; adapters at 1e-4.
    paper: { teacher: "model", context: "none", guard: false, group: 4, tasks: 1024, learningRate: 1e-4 },
  },
  update: async (update, settings) => {
    // 1. The student speaks.
    const episodes = await collect(update);

    // 2. The teacher scores the sampled tokens.
    const read = settings.taught === "all" ? episodes : episodes.filter(({ success }) => success !== true);
    const said = await teachOnSchedule(update, settings, read, { candidates: null });

    // 3. A word that the teacher finds likelier is worth that much, one that it finds less likely costs as much.
    const { rows } = await credit(update, episodes, said);
    await learn(update, rows, "clipped");
  },
});
