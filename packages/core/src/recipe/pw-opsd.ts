/**
 * PW-OPSD: self-distillation with the answer in view, late tokens first.
 *
 * A teacher that knows the solution is surest where the text so far holds most of it already; early on
 * it knows too much. So each word's share of the divergence is clamped, and each token weighed by its place in the episode.
 */
import { option } from "limbeck-base/base/option";
import { weighPositions, POSITION_FORMS } from "../distill/position-weights.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { clampOf, divergenceLoss, divergenceSettings, widthOf } from "./divergence-form.ts";
import { instructSettings, teachOnSchedule } from "./teacher-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";

export const pwOpsd = defineRecipe({
  info: {
    title: "PW-OPSD",
    paper: "When Are Teacher Tokens Reliable? Position-Weighted On-Policy Self-Distillation for Reasoning",
    confidence: "code",
    source:
      "SaFo-Lab/PW-OPSD @ 35303e00; code/ea_opsd_trainer.py: compute_loss (mode -12); launchers/run_qwen4b_base_pwopsd_train.sh",
    meaning: "Pulls the policy to a teacher that knows the solution, the later a token the harder.",
    departures: [
      "The teacher reads the list of the demonstrator's actions, at most 40 (context.steps); in published code it reads a written solution, is asked to derive the answer in its own words, and is prompted with thinking on while the policy's is off.",
      "By default an update is 8 episodes of each of 8 tasks, the norm of the gradient 1 and the rate constant; published code draws one response to each of 32 problems, clips at 0.1 and lets the rate fall evenly over 150 updates, of which it keeps the state after 100. The preset has these, but for the 100.",
      "An episode without a score, or without a solution to read, is left out; published code needs no score, and has a solution to every problem.",
      "Where only the likeliest words are compared, published code takes the teacher's in every direction and renormalises; here reverse takes the policy's and jsd those of both, and the rest counts as one word.",
      "The sampled form (form sampled) is ours; its clamp holds the whole token.",
      "By default the 20 likeliest words of the teacher are compared, and the rest as one more; published code compares the whole vocabulary, as the preset does.",
      "Published code samples at temperature 1.1 from the 20 likeliest words, of these only the likeliest that make up 0.95, and divides by that temperature in the divergence; here it is 1, over all words.",
      "With a growing conversation an episode is one row, and places are counted over all its turns; with rebuilt prompts each turn is a row of its own. Published responses have one turn.",
      "Published code trains an adapter of rank 64, and responses end at 1,024 tokens. Where padding is the end token, as in its R1 script, the end of a response is not taught; prompts are padded on the right to the longest of a device's two or four, so that the first word after a shorter one is compared at padding.",
      "Without the arguments of its scripts published code has beta 0.5 (jsd) and a teacher that moves with the policy; forward and the frozen start are those of all three scripts, as here.",
      "Weights that rise evenly (position linear) are ours.",
    ],
  },
  // Rows come from it; the advantages are not looked at.
  credit: "grpo",
  settings: {
    ...instructSettings({ teacher: "reference", context: "reference-solution", guard: false }),
    ...divergenceSettings({ form: "candidates", direction: "forward", clamp: 0.05 }),
    clampOf,
    position: option.choice("sigmoid", POSITION_FORMS, "weights that rise early and stay at 1, or that rise evenly"),
    leastWeight: option.share(0.25, "sigmoid: the weight that it comes from"),
    rise: option.share(0.3, "sigmoid: the place at which half of the way is done, as a share of the episode"),
    riseWidth: option.number(0.1, "sigmoid: how long the rise takes", { above: 0 }),
    slope: option.share(1, "linear: how steeply; 0: all alike"),
  },
  presets: {
    paper: {
      teacher: "reference",
      form: "vocabulary",
      clamp: 0.05,
      clampOf: "word",
      tasks: 32,
      group: 1,
      answerTokens: 1024,
      learningRate: 5e-6,
      schedule: "linear",
      clipNorm: 0.1,
    },
  },
  update: async (update, settings) => {
    // 1. Act.
    const episodes = await collect(update);

    // 2. The teacher reads the same words with the solution in front of it.
    const said = await teachOnSchedule(update, settings, episodes, widthOf(settings));
    if (said === undefined || said.opinions.size === 0) return;

    // 3. Weigh every token by its place, and learn.
    const { rows } = await credit(update, episodes, said, { shiftAsAdvantage: false });
    const { position: form, leastWeight: least, rise, riseWidth: width, slope } = settings;
    const weighed = rows.map((row): TrainRow => {
      const taught = row.mask.map((on, at) => (on === 1 && row.teacherMask?.[at] === 1 ? 1 : 0));
      return { ...row, weights: weighPositions(taught, { form, least, rise, width, slope }) };
    });
    const objective = divergenceLoss(settings, "seq-mean-token-mean");
    await learn(update, weighed, { name: "policy", weight: 1, objective });
  },
});
