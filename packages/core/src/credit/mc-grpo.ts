/** Median-centred GRPO: the baseline is the group's median, the scale its median absolute deviation. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { entry, groupMembers, real } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { groupAdvantages, taskGroups } from "./groups.ts";
import { firstSteps, rowScores } from "./scores.ts";
import { centringOptions, countTrajectoryOnce } from "./shared-options.ts";

export const mcGrpo = defineCredit({
  info: {
    title: "MC-GRPO",
    paper: "MC-GRPO: Median-Centered Group Relative Policy Optimization for Small-Rollout Reinforcement Learning",
    confidence: "code",
    source: "lotusroot-kim/MC-GRPO @ da077455; src/open_r1/grpo_trainer_gsm.py: _generate_and_score_completions",
    formula: [
      "med = lower median of S,   mad = lower median of |S - med|",
      "A_i = (S_i - med) / (max(mad, leastSpread) + epsilon), times (members of the group / members whose scaled distance from med is above 1e-6)",
      "clamped to clamp either way; the first rollout that is the median is dropped, so that of G + 1 rollouts G are trained",
    ],
    meaning: "Score minus the group's median, so that few rollouts do not flip signs.",
    departures: [
      "With scores of 0 and 1 mad is usually 0 and published code gives advantages of 1000 times the rescaling (3000 where three of nine are off the median); clamp bounds them at 5 here. Without it: clamp none, or leastSpread 0.1.",
      "Published code trains answers of one step. An episode of several counts once here and is dropped whole; with countTrajectoryOnce off, steps are counted and dropped.",
      "The authors' trainer for MATH does not multiply by group size over members that are not 0. Option rescale.",
      "A lone episode keeps its score on each of its steps (singleton); in published code a group of one is its own median and is dropped.",
      "A group smaller than 3 falls back to Dr.GRPO. Published code takes the lower of two as the median, drops it, and pays the other 2000 times the difference.",
      "Published code draws one rollout more than is asked for and drops one of those at the median, whichever the library names; here one of those asked for is dropped, the first.",
      "Published code puts the additional answers behind those of all questions of a device and then takes neighbours for a group: with 8 questions of 8 (its script) groups of 9 mix questions, the first having 8 answers of one and 1 of the next. Here a group is a task.",
      "Published runs learn from a batch twice, by the mean over answers of their token means, with a KL term of 0.04; here the objective is chosen beside it.",
    ],
  },
  options: {
    epsilon: option.number(1e-3, "added to the median absolute deviation", { least: 1e-12 }),
    leastSpread: option.number(0, "smallest median absolute deviation", { least: 0 }),
    clamp: option.limit(5, "largest advantage either way", { least: 0 }),
    rescale: option.flag(true, "multiply by group size over members that are not 0"),
    dropMedian: option.flag(true, "leave the median rollout out of training"),
    ...centringOptions("raw"),
    countTrajectoryOnce: { ...countTrajectoryOnce, default: true },
  },
  laws: { shift: true, scale: "neither", zeroSum: false },
  example: { about: "Five answers; the third is the median.", batch: answers([1, 0, 0.5, 0.2, 0.8]) },
  compute: (batch, options) => {
    const { trajectoryOf } = batch.index;
    const scores = rowScores(batch, options.invalidPenalty);
    const counted = options.countTrajectoryOnce ? firstSteps(batch) : undefined;
    const groups = taskGroups(batch);
    const members = groupMembers(groups);
    const counting = members.map((rows) => rows.filter((at) => counted?.[at] !== 0));
    const values = counting.map((rows) => rows.map((at) => real(scores, at)));
    const baseline = Float64Array.from(values, (own) => (own.length < 3 ? mean(own) : lowerMedian(own)));
    // Centred by the median, or by the mean where a group is too small for one.
    const group = { ...options, scale: false, baseline, ...(counted && { counted }) };
    const { advantages } = groupAdvantages(scores, groups, group);
    const largest = options.clamp ?? Number.POSITIVE_INFINITY;
    const dropped: number[] = [];
    let [medianGroups, droppedRollouts] = [0, 0];
    for (const [task, rows] of members.entries()) {
      const own = entry(values, task);
      if (own.length < 3) continue;
      medianGroups += 1;
      const median = real(baseline, task);
      const spread = Math.max(lowerMedian(own.map((value) => Math.abs(value - median))), options.leastSpread);
      // Rewards that are the same but for rounding are at the median.
      const isOff = (value: number): boolean => Math.abs(value - median) / (spread + options.epsilon) > LEAST_OFF;
      const different = own.filter(isOff).length;
      const factor = options.rescale && different > 0 ? own.length / different : 1;
      for (const at of rows) {
        const scaled = (real(advantages, at) / (spread + options.epsilon)) * factor;
        advantages[at] = Math.max(-largest, Math.min(largest, scaled));
      }
      const middle = entry(counting, task).find((at) => scores[at] === median);
      if (middle === undefined || !options.dropMedian) continue;
      droppedRollouts += Number(counted !== undefined);
      dropped.push(
        ...(counted === undefined ? [middle] : rows.filter((at) => trajectoryOf[at] === trajectoryOf[middle])),
      );
    }
    for (const at of dropped) advantages[at] = 0;
    return {
      terms: { outcome: { weight: 1, perRow: advantages } },
      metrics: { groups: members.length, medianGroups, droppedRollouts },
      dropped: dropped.sort((left, right) => left - right),
    };
  },
});

/** Scaled advantages of less count as none, as published. */
const LEAST_OFF = 1e-6;

/** The lower of the two middle values; no averaging. */
export function lowerMedian(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;
}
