/** IW-OPD: on-policy distillation in which early tokens weigh more, by how much the prefix has drifted so far. */
import { option } from "limbeck-base/base/option";
import { trajectoriesOf } from "./batch-index.ts";
import { entry, real } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { taughtAnswer } from "./examples.ts";
import { shiftMetrics, stepTokens, TEACHER_NEEDS, teacherShift } from "./teacher-shift.ts";
import { tokenArrays } from "./tokens.ts";

const LEAST_TOTAL = 1e-8;

export const iwOpd = defineCredit({
  info: {
    title: "IW-OPD",
    paper: "On the Position Bias of On-Policy Distillation (IW-OPD), arXiv 2606.22600",
    confidence: "code",
    source: "huggingface/trl @ f2cd5771; trl/experimental/iw_opd/iw_opd_trainer.py: _compute_iw_opd_loss",
    formula: [
      "a_t = log teacher - log old;   prefix_t = sum of |a_k| over k < t;   total = sum of |a|",
      "A_t = (1 + gain * (1 - prefix_t / max(total, 1e-8))) * a_t",
    ],
    meaning: "A token counts less the further the policy had strayed from the teacher before it.",
    departures: [
      "The prefix runs over the whole trajectory, turn after turn (option over); published code has one response a row.",
      "Published code divides the logits of both models by its sampling temperature, and takes the log-probabilities of the policy now where none were kept at sampling; here they are needed, at temperature 1.",
      "A row without a teacher gets 0 and counts in the loss's mean (metric untaughtRows); published code has a teacher for every row.",
      "The stabiliser 1e-8 is an option there (iw_opd_epsilon), fixed here.",
      "The opposite of PW-OPSD, where late tokens weigh more; the two answer different questions.",
    ],
  },
  mayNeed: TEACHER_NEEDS,
  options: {
    gain: option.number(0.5, "what the first token weighs beyond 1", { least: 0 }),
    over: option.choice("trajectory", ["trajectory", "step"], "where a prefix begins"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: taughtAnswer,
  compute: (batch, { gain, over }) => {
    const heard = teacherShift(batch);
    const weighted = tokenArrays(batch.rows);
    for (const [trajectory] of trajectoriesOf(batch)) {
      const steps = stepTokens(batch, trajectory);
      for (const own of over === "step" ? steps : [steps.flat()]) {
        const shifts = own.map(({ at, token }) => real(entry(heard.shifts, at), token));
        for (const [place, weight] of prefixWeights(shifts, gain).entries()) {
          const { at, token } = entry(own, place);
          entry(weighted, at)[token] = weight * entry(shifts, place);
        }
      }
    }
    return { terms: { teacher: { weight: 1, perToken: weighted } }, metrics: shiftMetrics(heard) };
  },
});

/** 1 + gain * (1 - prefix / total) for each token of a sequence. */
export function prefixWeights(shifts: readonly number[], gain: number): number[] {
  const total = Math.max(
    shifts.reduce((sum, shift) => sum + Math.abs(shift), 0),
    LEAST_TOTAL,
  );
  let prefix = 0;
  return shifts.map((shift) => {
    const weight = 1 + gain * (1 - prefix / total);
    prefix += Math.abs(shift);
    return weight;
  });
}
