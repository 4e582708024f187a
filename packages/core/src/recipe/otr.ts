/**
 * OTR: fine-tuning on demonstrations as a game of one move.
 *
 * At every word of a demonstration the policy is asked what it would say, many times. The word of the demonstration earns a
 * reward, every other a small penalty. So supervised data gives a signal that follows the policy's own beliefs.
 */
import { option } from "limbeck-base/base/option";
import { drawOneTokens } from "../distill/one-token.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { crossEntropy } from "../objective/cross-entropy.ts";
import { otr as otrLoss } from "../objective/otr.ts";
import { demonstrationsFor } from "./demonstrated.ts";
import { defineRecipe } from "./recipe.ts";
import { sharedSettings } from "../update/settings.ts";
import { collect } from "../update/collect.ts";
import { drawsOf } from "../update/context.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";
import { teach } from "../update/teach.ts";

export const otr = defineRecipe({
  info: {
    title: "OTR",
    paper: "One-Token Rollout: Guiding Supervised Fine-Tuning of LLMs with Policy Gradient",
    confidence: "reading",
    source:
      "reviews of arXiv 2509.26313 by others (chatpaper, themoonlight.io): the one-token rollout, reward of a draw, and the loss; of the paper its first pages",
    meaning: "Learns from the demonstrator's episodes, by what the policy itself would have said at every word.",
    departures: [
      "By default 64 words are drawn and the demonstrator's is added, which is no draw of the policy's; the paper draws 256 and adds none. Preset paper.",
      "The mean is over all words; the paper takes it within each demonstration first.",
      "Words are drawn once for an update: with epochs or miniBatches above 1, later steps learn from draws of the policy before it. form=vocabulary reads the present one.",
      "Of the paper its first pages and quotations of it were read: that the penalty is -0.1, the temperature 1.3 and the rate 5e-6 was not seen there.",
      "Demonstrations are those of the world's demonstrator on the update's tasks, fresh ones every time.",
      "One episode for each task is played to see how the policy fares; nothing is learned from it.",
      "form=vocabulary takes the mean over all words instead of drawing some.",
    ],
  },
  // Rows come from it; the advantages are not looked at.
  credit: "grpo",
  settings: {
    group: { ...sharedSettings.group, default: 1, meaning: "episodes per task, to watch and not to learn from" },
    form: option.choice(
      "sampled",
      ["sampled", "vocabulary", "imitation"],
      "words that are drawn, all of them by their probability, or the demonstrator's alone: plain imitation, to compare with",
    ),
    draws: option.count(64, "words drawn at every position"),
    drawTemperature: option.number(1.3, "temperature of the drawing", { least: 1e-3 }),
    penalty: option.number(-0.1, "what a word earns that is not the demonstrator's"),
    addGold: option.flag(true, "the demonstrator's word is always among the drawn"),
  },
  presets: { paper: { draws: 256, addGold: false, learningRate: 5e-6 } },
  demonstrated: () => true,
  update: async (update, settings) => {
    // 1. Watch.
    const played = await collect(update);

    // 2. See how the demonstrator does these tasks, in the policy's own tokens, and what the policy would say there.
    const lessons = await demonstrationsFor(update, played);
    if (lessons.length === 0) return;
    if (settings.form === "imitation") {
      const { rows } = await credit(update, lessons);
      await learn(update, rows, { name: "policy", weight: 1, objective: crossEntropy.create({}) });
      return;
    }
    const own = await teach(update, lessons, { context: "none", teacher: "self", candidates: "all" });
    const { rows } = await credit(update, lessons, own, { shiftAsAdvantage: false });

    // 3. Draw, and learn by what was right.
    const { form, draws: count, drawTemperature: temperature, penalty, addGold } = settings;
    const rng = drawsOf(update, "one token");
    const drawn = rows.map((row, at): TrainRow => {
      if (form === "vocabulary" || row.teacherCandidates === undefined) return row;
      const options = { count, temperature, addGold };
      const { teacherCandidates, ...rest } = row;
      return { ...rest, candidates: drawOneTokens(row, teacherCandidates, options, rng.split(at)) };
    });
    const objective = otrLoss.create({ form: form === "sampled" ? "drawn" : "expected", temperature, penalty });
    await learn(update, drawn, { name: "policy", weight: 1, objective });
  },
});
