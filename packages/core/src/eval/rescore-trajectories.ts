/** Stored trajectories under another reward: how its scores compare with those they have. */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { mean } from "limbeck-base/base/statistics/summary";
import { type GiveOptions, askRewards } from "../reward/give-rewards.ts";
import type { RewardMethod } from "../reward/reward.ts";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Reward, Trajectory } from "limbeck-base/trajectory/trajectory";
import { estimateOf, type Estimate } from "./profile.ts";

export interface RescoredTrajectory {
  readonly id: string;
  readonly task: string;
  readonly success: boolean | null;
  /** The reward it has; null when it is unscored. */
  readonly stored: number | null;
  readonly rescored: number | null;
  /** The new reward in full. */
  readonly rewards: readonly Reward[];
}

/** Pairs of one group that the stored reward puts in an order, by what the new one says of them. */
export interface OrderCounts {
  readonly kept: number;
  readonly tied: number;
  readonly reversed: number;
}

export interface Rescoring {
  readonly reward: string;
  readonly trajectories: readonly RescoredTrajectory[];
  /** How many the new reward could not score. */
  readonly unscored: number;
  /** Over trajectories that have both; Student-t intervals. Null without any. */
  readonly stored: Estimate | null;
  readonly rescored: Estimate | null;
  /** New less stored, in pairs. */
  readonly difference: Estimate | null;
  /** Trajectories whose score is another one. */
  readonly changed: number;
  /** Spearman's rank correlation of the two; null when either is the same everywhere. */
  readonly correlation: number | null;
  /** Within groups, which is what group-relative credit sees. */
  readonly order: OrderCounts;
  /** Chance that a success scores above a failure, ties half, under each; null without both kinds. 0.5: it cannot tell. */
  readonly storedTells: number | null;
  readonly rescoredTells: number | null;
  /** What the reward counted. */
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * Finished trajectories under another reward, compared with the one that is stored.
 *
 * @example
 * import { getReward } from "limbeck/reward";
 *
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 2, group: 1 });
 * const { changed, rescored } = await rescoreTrajectories(getReward("outcome"), trajectories);
 * console.log(changed, rescored?.mean); // 0 1
 */
export async function rescoreTrajectories(
  method: RewardMethod,
  trajectories: readonly Trajectory[],
  options: GiveOptions & { readonly confidence?: number } = {},
): Promise<Rescoring> {
  const { confidence = 0.95, ...give } = options;
  const { rewards, metrics } = await askRewards(method, trajectories, give);
  const name = give.as ?? method.id;
  const rescored = trajectories.map(({ id, task, success, reward }, index): RescoredTrajectory => {
    const own = rewards[index] ?? [];
    const whole = own.find((one) => one.name === name && one.step === undefined && one.tokens === undefined);
    const stored = scoreValue(reward) ?? null;
    return { id, task: task.id, success, stored, rescored: valueOf(whole), rewards: own };
  });
  const both = rescored.flatMap(({ stored, rescored: now }) =>
    stored === null || now === null ? [] : [{ stored, now }],
  );
  const [before, after] = [both.map(({ stored }) => stored), both.map(({ now }) => now)];
  const gains = both.map(({ stored, now }) => now - stored);
  return {
    reward: name,
    trajectories: rescored,
    unscored: rescored.filter((one) => one.rescored === null).length,
    stored: estimateOf(before, confidence),
    rescored: estimateOf(after, confidence),
    difference: estimateOf(gains, confidence),
    changed: both.filter(({ stored, now }) => stored !== now).length,
    correlation: correlation(ranks(before), ranks(after)),
    order: orders(trajectories, rescored),
    storedTells: tells(rescored.map(({ success, stored }) => ({ success, score: stored }))),
    rescoredTells: tells(rescored.map((one) => ({ success: one.success, score: one.rescored }))),
    metrics,
  };
}

function valueOf(reward: Reward | undefined): number | null {
  return reward === undefined ? null : (scoreValue(reward.score) ?? null);
}

/** Ranks from 1; equal values share the mean of theirs. */
function ranks(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] as number) - (values[b] as number));
  const ranked = new Float64Array(values.length);
  for (let first = 0; first < order.length;) {
    let last = first;
    while (last + 1 < order.length && values[order[last + 1] as number] === values[order[first] as number]) last += 1;
    for (let at = first; at <= last; at += 1) ranked[order[at] as number] = (first + last) / 2 + 1;
    first = last + 1;
  }
  return [...ranked];
}

function correlation(left: readonly number[], right: readonly number[]): number | null {
  const [one, other] = [mean(left), mean(right)];
  let [shared, ofLeft, ofRight] = [0, 0, 0];
  left.forEach((value, index) => {
    const [a, b] = [value - one, (right[index] as number) - other];
    shared += a * b;
    ofLeft += a * a;
    ofRight += b * b;
  });
  return ofLeft > 0 && ofRight > 0 ? shared / Math.sqrt(ofLeft * ofRight) : null;
}

function orders(trajectories: readonly Trajectory[], rescored: readonly RescoredTrajectory[]): OrderCounts {
  const groups = groupedBy(rescored, (_, index) => trajectories[index]?.group);
  const counts = { kept: 0, tied: 0, reversed: 0 };
  for (const members of groups.values()) {
    for (const [index, left] of members.entries()) {
      for (const right of members.slice(index + 1)) {
        const [before, now] = [gap(left.stored, right.stored), gap(left.rescored, right.rescored)];
        if (before === 0 || before === undefined || now === undefined) continue;
        counts[now === 0 ? "tied" : Math.sign(now) === Math.sign(before) ? "kept" : "reversed"] += 1;
      }
    }
  }
  return counts;
}

function gap(left: number | null, right: number | null): number | undefined {
  return left === null || right === null ? undefined : left - right;
}

/** Area under the ROC curve, from the mean rank of the successes (Mann and Whitney 1947). */
function tells(scores: readonly { readonly success: boolean | null; readonly score: number | null }[]): number | null {
  const judged = scores.flatMap(({ success, score }) =>
    success === null || score === null ? [] : [{ success, score }],
  );
  const ranked = ranks(judged.map(({ score }) => score));
  const successes = ranked.filter((_, index) => judged[index]?.success === true);
  const failures = judged.length - successes.length;
  if (successes.length === 0 || failures === 0) return null;
  const total = successes.reduce((sum, rank) => sum + rank, 0);
  return (total - (successes.length * (successes.length + 1)) / 2) / (successes.length * failures);
}
