/**
 * DARS: hard tasks get extra rollouts; the merged group is centred, and tasks that are all right or all wrong drop out.
 *
 *   extra(a) = ceil((peak - N * S) / S), S = 2 a (1 - a)      so that every task weighs as much as one of accuracy 1/2
 */
import { groupMembers } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages, taskGroups } from "./groups.ts";
import { hasSucceeded, rowScores } from "./scores.ts";
import { normByStd, outcomeOptions } from "./shared-options.ts";

export const dars = defineCredit({
  info: {
    title: "DARS",
    paper: "Depth-Breadth Synergy in RLVR, arXiv 2508.13755",
    confidence: "code",
    source:
      "yangzhch6/DARS @ 9b21b714; verl/verl/trainer/ppo/core_algos.py: compute_grpo_outcome_advantage; ray_dars_trainer.py: schedule_ET, schedule_HW",
    formula: [
      "all rollouts of a task, first and extra ones, are one group; tasks of accuracy 0 or 1 are dropped",
      "A_i = S_i - mean(S); normByStd: over (std + epsilon)",
      "extra rollouts (function extraRollouts): none from accuracy 1/2 up; ET ceil((peak - N S) / S), HW ceil((2 (1 - a) peak - N S) / S)",
    ],
    meaning: "Undoes the small weight that group methods give to hard tasks, by sampling those more.",
    departures: [
      "A task that was all wrong counts as accuracy 0.5 / N, not as deserving the most, as in published code. Option allWrong of extraRollouts.",
      "Who samples the extra rollouts is the recipe; here they are ordinary trajectories of the task.",
      "Accuracy is the mean score in published code, and a task is dropped where it is 0 or 1 and more; here it is dropped where all of its rows succeeded or none did.",
      "Published code has one switch (grpo_use_std, off in every script) for the deviation and for the schedule's form S = 2 sqrt(a (1 - a)) with peak N; here normByStd changes the advantage alone, form of extraRollouts is an argument of its own, and the strategy allocate has the product alone.",
      "A lone rollout is always dropped, as one whose group agrees; the option singleton changes nothing.",
      "extraRollouts takes 1e-9 off before it rounds up, against rounding errors; published code does not.",
    ],
  },
  needs: ["success"],
  options: {
    normByStd: normByStd(false),
    ...outcomeOptions,
  },
  laws: { shift: true, scale: "proportional", zeroSum: true },
  example: { about: "One right answer among four, and four that were all right.", batch: answers([1, 0, 0, 0]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const { advantages, metrics } = outcomeAdvantages(batch, scores, { ...options, scale: options.normByStd });
    const success = Uint8Array.from(batch.rows, (row) => (hasSucceeded(batch, row) ? 1 : 0));
    const equal = groupMembers(taskGroups(batch)).filter((own) => new Set(own.map((at) => success[at])).size < 2);
    const dropped = equal.flat().sort((left, right) => left - right);
    for (const at of dropped) advantages[at] = 0;
    return { terms: { outcome: { weight: 1, perRow: advantages } }, metrics, dropped };
  },
});

export interface ExtraRolloutOptions {
  /** Equal treatment, or more for harder tasks. */
  readonly schedule?: "equal" | "hardness";
  /** 2 a (1 - a), or 2 sqrt(a (1 - a)). */
  readonly form?: "product" | "root";
  /** Largest group. Default: 32 for equal treatment and 64 for hardness. */
  readonly most?: number;
  /** A task without a success counts as accuracy 0.5 / count, as in published code, or gets the most. */
  readonly allWrong?: "half" | "most";
}

/**
 * Rollouts to add to the first `count` of a task with this accuracy.
 *
 * @example
 * console.log(extraRollouts(0.25, 8), extraRollouts(0.5, 8)); // 3 0
 */
export function extraRollouts(accuracy: number, count: number, options: ExtraRolloutOptions = {}): number {
  const { schedule = "equal", form = "product" } = options;
  const most = options.most ?? (schedule === "equal" ? 32 : 64);
  if (accuracy >= 0.5) return 0;
  if (accuracy <= 1e-6 && options.allWrong === "most") return Math.max(most - count, 0);
  const held = accuracy <= 1e-6 ? 0.5 / count : accuracy;
  const spread = form === "product" ? 2 * held * (1 - held) : 2 * Math.sqrt(held * (1 - held));
  const peak = form === "product" ? 0.5 * count : count;
  const wanted = schedule === "equal" ? peak : 2 * (1 - held) * peak;
  const extra = Math.ceil((wanted - count * spread) / spread - 1e-9);
  return Math.max(Math.min(extra, most - count), 0);
}
