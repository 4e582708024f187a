/** On-policy distillation (OPD): the reverse divergence from a teacher as the advantage of each token. */
import { option } from "limbeck-base/base/option";
import { trajectoriesOf } from "./batch-index.ts";
import { entry, real } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { taughtAnswer } from "./examples.ts";
import { onRows, trajectoryAdvantages } from "./groups.ts";
import { share } from "./shared-options.ts";
import { shiftMetrics, TEACHER_NEEDS, teacherShift, type TeacherShift } from "./teacher-shift.ts";
import { eachTrained, tokenArrays } from "./tokens.ts";

export const opd = defineCredit({
  info: {
    title: "OPD",
    paper: "On-policy distillation: arXiv 2306.13649; as an advantage, Thinking Machines 2025 and published code",
    confidence: "code",
    source:
      "thinking-machines-lab/tinker-cookbook @ 9dfcc3a2; tinker_cookbook/distillation/train_on_policy.py: incorporate_kl_penalty; tinker_cookbook/rl/metrics.py: incorporate_kl_penalty (centred)",
    formula: [
      "kl_t = log old - log teacher;   A_t = rewardWeight * (R - mean of the group's R) - coefficient * kl_t",
      "discount: the teacher's part of a token takes in those after it, each times discount once more",
      "centred (reinforcement learning with a fixed reference): + coefficient * (mean kl of the batch - kl_t)",
    ],
    meaning: "Every token is worth as much as the teacher finds it likelier than the policy did.",
    departures: [
      "A row without a teacher has the reward's part alone (with a discount also what comes back from later rows), 0 by default, and counts in the loss's mean (metric untaughtRows); published code has a teacher for every row.",
      "Published code adds the reward's part with weight 1, and the prompts of its distillation runs give reward 0; here rewardWeight is 0 by default. The centred form stands in its reinforcement learning, where its weight is 0 unless set; here coefficient is 1.",
      "The discount runs along the trained tokens of the whole trajectory, over turns. In published code it runs over every place of a sequence: what stands before and between turns counts as places, and gets an advantage itself, which is trained, as the mask is taken off before the loss; a history that was rewritten begins a new sequence.",
    ],
  },
  mayNeed: TEACHER_NEEDS,
  options: {
    coefficient: option.number(1, "weight of the teacher", { least: 0 }),
    rewardWeight: option.number(0, "weight of the outcome against the group's mean", { least: 0 }),
    discount: share(0, "share of later tokens; 0: each for itself"),
    centred: option.flag(false, "kl against its mean over the batch"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: taughtAnswer,
  compute: (batch, { coefficient, rewardWeight, discount, centred }) => {
    const heard = teacherShift(batch);
    const reward = trajectoryAdvantages(batch, { scale: false, singleton: "zero" });
    const shifts = centred ? centredShifts(batch, heard) : heard.shifts;
    return {
      terms: {
        ...(rewardWeight === 0 ? {} : { reward: { weight: rewardWeight, perRow: onRows(batch, reward.advantages) } }),
        teacher: { weight: coefficient, perToken: discount === 0 ? shifts : discounted(batch, shifts, discount) },
      },
      metrics: { ...reward.metrics, ...shiftMetrics(heard) },
    };
  },
});

/** mean of kl - kl_t, over the taught tokens of the batch. */
function centredShifts({ rows }: IndexedBatch, { shifts, taught, mean }: TeacherShift): Float64Array[] {
  const centred = tokenArrays(rows);
  for (const [at, { mask }] of rows.entries()) {
    if (taught[at] === 0) continue;
    const [own, target] = [entry(shifts, at), entry(centred, at)];
    eachTrained(mask, (token) => (target[token] = real(own, token) - mean));
  }
  return centred;
}

function discounted(batch: IndexedBatch, shifts: readonly Float64Array[], discount: number): Float64Array[] {
  const sums = tokenArrays(batch.rows);
  for (const [, steps] of trajectoriesOf(batch)) {
    let later = 0;
    for (const at of steps.toReversed()) {
      const [{ mask }, own, target] = [entry(batch.rows, at), entry(shifts, at), entry(sums, at)];
      for (let token = mask.length - 1; token >= 0; token -= 1) {
        if (mask[token] === 0) continue;
        later = real(own, token) + discount * later;
        target[token] = later;
      }
    }
  }
  return sums;
}
