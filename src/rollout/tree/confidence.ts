/** ECHO's arithmetic: how wide to branch, whom to stop, and what a majority is worth. */
import { deviation, mean } from "../../base/index.ts";

/** exp of the mean log-probability: the confidence of what was said. Nothing said is certain. */
export function confidenceOf(logprobs: ArrayLike<number>): number {
  return logprobs.length === 0 ? 1 : Math.exp(mean(logprobs));
}

/** 1 + floor((most - 1) * H * c), H the entropy as a share of its largest, c the confidence of the group. */
export function branchWidth(most: number, entropyShare: number, confidence: number): number {
  return 1 + Math.floor((most - 1) * Math.min(1, Math.max(0, entropyShare)) * confidence);
}

export interface Standing {
  /** Running mean of the confidence. */
  readonly average: number;
  /** Checks in a row at which it was poor. */
  readonly poor: number;
}

/** The next running mean; the first value as it is. */
export function nextAverage(average: number | undefined, value: number, keep: number): number {
  return average === undefined ? value : keep * average + (1 - keep) * value;
}

/** Counts the checks at which each lies below mean - deviations * std of all. */
export function countPoor(all: readonly Standing[], deviations: number): Standing[] {
  const averages = all.map(({ average }) => average);
  const least = mean(averages) - deviations * deviation(averages);
  return all.map(({ average, poor }) => ({ average, poor: average < least ? poor + 1 : 0 }));
}

/** Who is stopped: poor for so many checks in a row, the poorest first, and always so many are left. */
export function toStop(all: readonly Standing[], checks: number, keepLeast: number): number[] {
  const poor = [...all.entries()].filter(([, standing]) => standing.poor >= checks);
  return poor
    .toSorted(([, left], [, right]) => left.average - right.average)
    .slice(0, Math.max(0, all.length - keepLeast))
    .map(([at]) => at);
}

export interface Majority {
  readonly answer: string;
  /** Its share of the votes. */
  readonly share: number;
}

/** The answer with the most votes, of equal ones the first seen; undefined without votes. */
export function majorityOf(answers: readonly string[]): Majority | undefined {
  const votes = new Map<string, number>();
  for (const answer of answers) votes.set(answer, (votes.get(answer) ?? 0) + 1);
  let found: Majority | undefined;
  for (const [answer, count] of votes) {
    if (found === undefined || count / answers.length > found.share) found = { answer, share: count / answers.length };
  }
  return found;
}

/** Clip range for a majority of this share: low + (high - low) * share. */
export function clipRange(share: number, low = 0.1, high = 0.3): number {
  return low + (high - low) * share;
}
