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
      "The outcome has no part unless credit.rewardWeight is set; published code adds it with weight 1, and its prompts give reward 0.",
      "Published loss is the ratio to the sampling policy times the advantage, unclipped and summed over tokens; here the clipped loss with its mean over tokens, which is the plain gradient where an update has one step.",
      "Published runs have adapters of rank 128, 1024 prompts of 4 answers, rate 1e-4, beta2 0.95 and no bound of the gradient; here 8 tasks of 8, rate 3e-4, beta2 0.999, norm at most 1. Preset paper has their groups, rate and Adam. Their prompts are cut after 1024 tokens.",
      "Published code can have one teacher for each data set; here teacher=routed.",
    ],
  },
  credit: "opd",
  settings: {
    ...instructSettings({ teacher: "reference", context: "skill", guard: true }),
    taught: option.choice("all", ["all", "failed"], "which episodes the teacher reads; failed: as in HyperEyes"),
  },
  presets: {
    // Published code: a larger model reads the plain text; adapters at 1e-4.
    paper: {
      teacher: "model",
      context: "none",
      guard: false,
      group: 4,
      tasks: 1024,
      answerTokens: 4096,
      learningRate: 1e-4,
      beta2: 0.95,
      clipNorm: null,
    },
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
