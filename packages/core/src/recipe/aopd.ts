/**
 * AOPD, asymmetric on-policy distillation.
 *
 * Where the teacher likes the student's word, reinforcing it is right. Where it does not, pushing the word down says only
 * what not to do; the teacher knows better words. So there its distribution is shown instead.
 */
import { option } from "limbeck-base/base/option";
import { allObjectives } from "../objective/registry.ts";
import { taughtAfter } from "./taught-rows.ts";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";

export const aopd = defineRecipe({
  info: {
    title: "AOPD",
    paper: "Asymmetric On-Policy Distillation: Bridging Exploitation and Imitation at the Token Level",
    confidence: "reading",
    source: "public notes that quote Eq. 1 and 10 of arXiv 2605.06387",
    meaning: "Reinforces words that the teacher likes more, and shows its own words where it likes them less.",
    departures: [
      "Read in notes of others: the split at 0 and the divergence on the teacher's likeliest words. 20 of them and a shift of at most 5 are ours.",
      "The teacher is the frozen start that has read a hindsight skill, as in the recipe opd.",
    ],
  },
  credit: "opd",
  settings: {
    ...instructSettings({ teacher: "reference", context: "skill", guard: true }),
    candidates: option.limit(20, "words that are shown; none: all", { least: 1, whole: true }),
    direction: option.choice("forward", ["forward", "reverse"], "of the divergence from the words shown"),
    rest: option.choice(
      "renormalise",
      ["renormalise", "tail"],
      "what the words shown leave over: nothing, or one word more",
    ),
    divergenceWeight: option.number(1, "weight of the divergence", { least: 0 }),
    mostShift: option.number(5, "largest reinforcement of a word", { least: 0 }),
  },
  presets: { paper: { teacher: "model", context: "none", guard: false } },
  update: async (update, settings) => {
    // 1. The student speaks.
    const episodes = await collect(update);

    // 2. The teacher scores its own most likely tokens.
    const { candidates, direction, rest, divergenceWeight: weight, mostShift: most } = settings;
    const support = direction === "forward" ? "teacher" : "student";
    const said = await teachOnSchedule(update, settings, episodes, { candidates: candidates ?? "all", support });
    if (said === undefined) return;

    // 3. Reinforce, or show.
    const { rows } = await credit(update, episodes, said);
    const objective = allObjectives.aopd.create({ direction, rest, weight, most });
    await learn(update, taughtAfter(rows), { name: "policy", weight: 1, objective });
  },
});
