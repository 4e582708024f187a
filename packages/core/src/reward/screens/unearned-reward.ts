/** Who fails is paid by something else than the task, whatever that is: no wording is read. */
import { mean, median } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { byGroup } from "limbeck-base/trajectory/rows";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { defineScreen, severity } from "./screen.ts";

export const unearnedReward = defineScreen({
  id: "unearned-reward",
  info: {
    title: "Unearned reward",
    meaning: "Trajectories that failed are paid like successes, or some failures much more than others of their group.",
    formula: [
      "a failure is unearned when it is paid at least the median of the batch's successes; where nothing succeeded, this part is silent",
      "speaks when minTrajectories and minShare of the failures are unearned",
      "or when failures of one group split in two: the better half is paid minGap more than the rest in minGroups groups and minShare of them, as a share of the widest difference of rewards that the batch has",
    ],
  },
  options: {
    severity,
    minTrajectories: option.count(3, "fewer are left alone"),
    minShare: option.share(0.2, "a smaller share of the failures, or of their groups, is left alone"),
    minGap: option.share(0.4, "a smaller difference among failures is left alone"),
    minGroups: option.count(3, "with fewer groups of failures it says nothing of their differences"),
  },
  look: ({ trajectories }, options) => {
    const known = trajectories.flatMap((trajectory) => {
      const reward = scoreValue(trajectory.reward);
      return reward === undefined || trajectory.success === null ? [] : [{ trajectory, reward }];
    });
    const failures = known.filter(({ trajectory }) => trajectory.success === false);
    const successes = known.filter(({ trajectory }) => trajectory.success === true).map(({ reward }) => reward);
    if (failures.length === 0) return [];
    const usual = successes.length === 0 ? Number.POSITIVE_INFINITY : median(successes);
    const unearned = failures.filter(({ reward }) => reward >= usual);
    if (unearned.length >= options.minTrajectories && unearned.length >= options.minShare * failures.length) {
      const ids = unearned.slice(0, 5).map(({ trajectory }) => trajectory.id);
      const message = `${unearned.length} of ${failures.length} trajectories that failed are paid at least ${usual.toFixed(3)}, which is what successes are paid. Read them: the reward pays for something else.`;
      return [{ message, evidence: { failures: failures.length, unearned: unearned.length, examples: ids } }];
    }
    const rewards = known.map(({ reward }) => reward);
    return splitFailures(
      failures.map(({ trajectory }) => trajectory),
      rewards.reduce((high, value) => Math.max(high, value)) - rewards.reduce((low, value) => Math.min(low, value)),
      options,
    );
  },
});

interface SplitOptions {
  readonly minShare: number;
  readonly minGap: number;
  readonly minGroups: number;
}

/** Failures of one group ought to be worth about the same. */
function splitFailures(failures: readonly Trajectory[], widest: number, options: SplitOptions) {
  if (widest <= 1e-9) return [];
  const gaps = byGroup(failures).flatMap(({ trajectories }) => {
    const paid = trajectories.flatMap(({ reward }) => scoreValue(reward) ?? []).toSorted((left, right) => left - right);
    if (paid.length < 4) return [];
    const half = Math.floor(paid.length / 2);
    return [(mean(paid.slice(half)) - mean(paid.slice(0, half))) / widest];
  });
  const wide = gaps.filter((gap) => gap >= options.minGap);
  if (wide.length < options.minGroups || wide.length < options.minShare * gaps.length) return [];
  const message = `In ${wide.length} of ${gaps.length} groups some failures are paid much more than others (${mean(wide).toFixed(2)} of the widest difference of the batch). The reward tells failures apart by something else than the task.`;
  return [{ message, evidence: { groups: gaps.length, split: wide.length, meanGap: mean(wide) } }];
}
