/**
 * IW-OPD: on-policy distillation that trusts the teacher less, the further the student has strayed before.
 *
 * What a teacher says after a prefix that it would never have written itself is worth little. So early words, where both
 * are still on common ground, weigh more.
 */
import { opd } from "./opd.ts";
import { defineRecipe } from "./recipe.ts";

export const iwOpd = defineRecipe({
  info: {
    title: "IW-OPD",
    paper: "On the Position Bias of On-Policy Distillation (IW-OPD), arXiv 2606.22600",
    confidence: "code",
    source: "huggingface/trl @ f2cd5771; trl/experimental/iw_opd/iw_opd_trainer.py: IWOPDTrainer",
    meaning: "On-policy distillation in which words before the student strays weigh more than those after.",
    departures: [
      "The teacher is the frozen start that has read a hindsight skill, as in the recipe opd.",
      "A prefix runs over the turns of an episode (credit.over).",
      "Published loss is -A log p without a ratio; here it is the clipped loss, which is the same where an update has one step.",
      "Published sums over the sampled tokens are divided by the tokens of the data set's own answers, counted once for each accumulation step, and by 0 where it has none (pull request 6452 of the source); here the mean is over the sampled tokens.",
      "Published code samples one answer a prompt with top-p 0.95, at a rate that falls evenly from 1e-6 to 0; here 8 a task at a steady 3e-4 (preset paper: 1, and the published rate), always from the whole distribution.",
      "Published code can mix in answers of a data set (lmbda, 1 by default: none) and has a second objective (jsd); here neither.",
    ],
  },
  credit: "iw-opd",
  settings: opd.settings,
  presets: {
    paper: {
      teacher: "model",
      context: "none",
      guard: false,
      "credit.over": "step",
      group: 1,
      answerTokens: 512,
      learningRate: 1e-6,
      schedule: "linear",
    },
  },
  update: (update, settings) => opd.update(update, settings),
});
