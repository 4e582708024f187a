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
    ],
  },
  credit: "iw-opd",
  settings: opd.settings,
  presets: { paper: { teacher: "model", context: "none", guard: false, "credit.over": "step" } },
  update: (update, settings) => opd.update(update, settings),
});
