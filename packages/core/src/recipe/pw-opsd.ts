/**
 * PW-OPSD: self-distillation with the answer in view, late tokens first.
 *
 * A teacher that knows the solution is surest where the text so far holds most of it already; early on
 * it knows too much. So each token's divergence is clamped and weighed by its place in the episode.
 */
import { option } from "limbeck-base/base/option";
import { weighPositions, POSITION_FORMS } from "../distill/position-weights.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { divergenceLoss, divergenceSettings, widthOf } from "./divergence-form.ts";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";

export const pwOpsd = defineRecipe({
  info: {
    title: "PW-OPSD",
    paper: "When Are Teacher Tokens Reliable? Position-Weighted On-Policy Self-Distillation for Reasoning",
    confidence: "inferred",
    meaning: "Pulls the policy to a teacher that knows the solution, the later a token the harder.",
    departures: [
      "Only the abstract was read; the weights are those of the specification, and `position` chooses between its two forms.",
      "The teacher is the frozen start (setting teacher): at this size a policy that trains without advice forgets how to follow it.",
      "An episode is one row: places are counted over all its turns.",
    ],
  },
  // Rows come from it; the advantages are not looked at.
  credit: "grpo",
  settings: {
    ...instructSettings({ teacher: "reference", context: "reference-solution", guard: false }),
    ...divergenceSettings({ form: "candidates", direction: "forward", clamp: 1 }),
    position: option.choice("linear", POSITION_FORMS, "weights that rise evenly, or like a power"),
    slope: option.share(1, "linear: how steeply; 0: all alike"),
    exponent: option.number(1, "power: of the token's place", { least: 0 }),
    mostWeight: option.limit(null, "largest weight; 1 spares the end of cut episodes", { least: 0 }),
  },
  presets: { paper: { teacher: "self", form: "vocabulary", clamp: 0.1, learningRate: 1e-6 } },
  update: async (update, settings) => {
    // 1. Act.
    const episodes = await collect(update);

    // 2. The teacher reads the same words with the solution in front of it.
    const said = await teachOnSchedule(update, settings, episodes, widthOf(settings));
    if (said === undefined || said.opinions.size === 0) return;

    // 3. Weigh every token by its place, and learn.
    const { rows } = await credit(update, episodes, said, { shiftAsAdvantage: false });
    const { position: form, slope, exponent, mostWeight: most } = settings;
    const weighed = rows.map((row): TrainRow => {
      const taught = row.mask.map((on, at) => (on === 1 && row.teacherMask?.[at] === 1 ? 1 : 0));
      return { ...row, weights: weighPositions(taught, { form, slope, exponent, most }) };
    });
    const objective = divergenceLoss(settings, "seq-mean-token-mean");
    await learn(update, weighed, { name: "policy", weight: 1, objective });
  },
});
