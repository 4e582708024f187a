/**
 * On-policy distillation (OPD): the reverse divergence from a teacher as the advantage of each token.
 *
 *   kl_t = log old - log teacher      A_t = rewardWeight * A_reward - coefficient * kl_t
 *   discount: A_t + discount * A_(t+1) + ... along the trajectory's tokens, of the teacher's part
 *   centred:  A_t = rewardWeight * A_reward + coefficient * (mean of kl over the batch - kl_t)
 */
import { option } from "../base/index.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { taughtAnswer } from "./examples.ts";
import {
  eachTaught,
  shiftMetrics,
  TEACHER_NEEDS,
  teacherShift,
  trajectoryTokens,
  type TeacherShift,
} from "./teacher-shift.ts";
import { tokenArrays } from "./token-arrays.ts";
import { onRows, trajectoryAdvantages } from "./trajectory-groups.ts";

export const opd = defineCredit({
  info: {
    title: "OPD",
    paper: "On-policy distillation: arXiv 2306.13649; as an advantage, Thinking Machines 2025 and published code",
    confidence: "code",
    formula: [
      "kl_t = log old - log teacher;   A_t = rewardWeight * (R - mean of the group's R) - coefficient * kl_t",
      "discount: the teacher's part of a token takes in those after it, each times discount once more",
      "centred (reinforcement learning with a fixed reference): + coefficient * (mean kl of the batch - kl_t)",
    ],
    meaning: "Every token is worth as much as the teacher finds it likelier than the policy did.",
    departures: [
      "A row without a teacher has the reward's part alone and is counted (untaughtRows).",
      "The discount runs along the tokens of the whole trajectory, over turns.",
    ],
  },
  needs: [],
  mayNeed: TEACHER_NEEDS,
  options: {
    coefficient: option.number(1, "weight of the teacher", { least: 0 }),
    rewardWeight: option.number(0, "weight of the outcome against the group's mean", { least: 0 }),
    discount: option.number(0, "share of later tokens; 0: each for itself", { least: 0, most: 1 }),
    centred: option.flag(false, "kl against its mean over the batch"),
  },
  laws: { shift: true, scale: "proportional", zeroSum: false },
  example: taughtAnswer,
  compute: (batch, { coefficient, rewardWeight, discount, centred }) => {
    const heard = teacherShift(batch);
    const reward = trajectoryAdvantages(batch, {
      scale: false,
      singleton: "zero",
      deviation: "unbiased",
      epsilon: 1e-6,
    });
    const shifts = centred ? centredShifts(batch, heard) : heard.shifts;
    return {
      terms: {
        ...(rewardWeight === 0 ? {} : { reward: { weight: rewardWeight, perRow: onRows(batch, reward.advantages) } }),
        teacher: { weight: coefficient, perToken: discount === 0 ? shifts : discounted(batch, shifts, discount) },
      },
      metrics: { ...reward.metrics, ...shiftMetrics(batch, heard) },
    };
  },
});

/** mean of kl - kl_t, over the taught tokens of the batch. */
function centredShifts(batch: IndexedBatch, { shifts, taught }: TeacherShift): Float64Array[] {
  const { rows } = batch;
  let [tokens, sum] = [0, 0];
  eachTaught(rows, taught, (at, token) => {
    tokens += 1;
    sum += (shifts[at] as Float64Array)[token] as number;
  });
  const centre = tokens === 0 ? 0 : sum / tokens;
  const centred = tokenArrays(rows);
  eachTaught(rows, taught, (at, token) => {
    (centred[at] as Float64Array)[token] = ((shifts[at] as Float64Array)[token] as number) - centre;
  });
  return centred;
}

function discounted(batch: IndexedBatch, shifts: readonly Float64Array[], discount: number): Float64Array[] {
  const sums = tokenArrays(batch.rows);
  for (let trajectory = 0; trajectory < batch.index.trajectories; trajectory += 1) {
    let later = 0;
    for (const { at, token } of trajectoryTokens(batch, trajectory).toReversed()) {
      later = ((shifts[at] as Float64Array)[token] as number) + discount * later;
      (sums[at] as Float64Array)[token] = later;
    }
  }
  return sums;
}
