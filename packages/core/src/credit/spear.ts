/** SPEAR's recalibration: old trajectories that are replayed are judged by the median of group means since then. */
import { median } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { real } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { answers } from "./examples.ts";
import { groupStatistics, trajectoryGroups } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { epsilon, invalidPenalty } from "./shared-options.ts";

export const spear = defineCredit({
  info: {
    title: "SPEAR (recalibrated self-imitation)",
    paper: "SPEAR: Learn the Ropes, Then Trust the Wins, arXiv 2509.22601",
    confidence: "code",
    source:
      "TencentYoutuResearch/SPEAR @ 7e843151; verl-agent/verl/trainer/ppo/core_algos.py: compute_grpo_outcome_advantage with custom_reward_mean_std",
    formula: [
      "A' = S - baseline, or (S - baseline) / (spread + epsilon);   rows with A' < 0 are dropped",
      "baseline and spread: medians of the means and deviations of recent groups (function groupHistory keeps them)",
      "weight of the replay loss: (1 - cos(pi * min(step, rampSteps) / rampSteps)) / 2 (function replayWeight)",
      "tool bonus: min(1, 0.1 * calls) * (cos(pi * step / 100) + 1) / 2, none after step 100 (function toolBonus)",
    ],
    meaning: "Lets the policy imitate its own successes, as long as they are no worse than what it does of late.",
    departures: [
      "Meant for the replayed rows; fresh rows keep the estimator of the recipe.",
      "Where no baseline is given it is the median of this batch's own group means.",
      "The published configuration divides by the deviation; its scripts, as here, do not (option spread).",
      "The covariance clip that goes with it is the objective clip-cov with share 0.02 and bounds 1 to 40, as in the scripts for mathematics; those for ALFWorld and WebShop have 2 to 60.",
      "Published scripts fade the tool bonus over 200 updates; 100, as here, is the default of their configuration. In ALFWorld and WebShop every step counts as a call.",
    ],
  },
  options: {
    baseline: option.limit(null, "median of recent group means"),
    spread: option.limit(null, "median of recent group deviations; none leaves the difference", { least: 0 }),
    epsilon: epsilon(1e-6),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "proportional", zeroSum: false },
  example: {
    about: "Two replayed answers; groups of late averaged 0.45.",
    batch: answers([1, 0.3]),
    options: { baseline: 0.45 },
  },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const baseline = options.baseline ?? medianOf(groupHistory(batch).means);
    const scale = options.spread === null ? 1 : options.spread + options.epsilon;
    const perRow = scores.map((score) => (score - baseline) / scale);
    const dropped = [...perRow.keys()].filter((at) => real(perRow, at) < 0);
    return {
      terms: { imitation: { weight: 1, perRow } },
      metrics: { baseline, keptRows: perRow.length - dropped.length },
      dropped,
    };
  },
});

function medianOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : median(values);
}

/**
 * Means and deviations (over n) of the tasks' groups, to be appended to a history of which the last 10,240 are kept.
 *
 * @example
 * import { batchFromJson } from "limbeck/update";
 * import { credits } from "limbeck/credit";
 * import { prepareBatch } from "limbeck-core/credit/assign";
 *
 * console.log(groupHistory(prepareBatch(batchFromJson(credits.grpo.example.batch))).means); // [ 0.5 ]
 */
export function groupHistory(batch: IndexedBatch): { readonly means: number[]; readonly deviations: number[] } {
  const group = { singleton: "zero", deviation: "population", epsilon: 0 };
  const { centres, scales, sizes } = groupStatistics(batch.index.outcomeOf, trajectoryGroups(batch), group);
  return { means: [...centres], deviations: Array.from(scales, (scale, task) => (sizes[task] === 1 ? 0 : scale)) };
}

/**
 * Weight of the replay loss at a training step.
 *
 * @example
 * console.log(replayWeight(0), replayWeight(200), replayWeight(999)); // 0 1 1
 */
export function replayWeight(step: number, rampSteps = 200): number {
  return 0.5 * (1 - Math.cos((Math.PI * Math.min(step, rampSteps)) / rampSteps));
}

/**
 * Bonus for using tools, which fades over the first steps of training.
 *
 * @example
 * console.log(toolBonus(5, 0), toolBonus(5, 100)); // 0.5 0
 */
export function toolBonus(calls: number, step: number, fadeSteps = 100): number {
  if (step >= fadeSteps) return 0;
  return (Math.min(1, 0.1 * calls) * (Math.cos((Math.PI * step) / fadeSteps) + 1)) / 2;
}
