/** How good a scorer is: does it order, does it know how sure it may be, and what is choosing by it worth. */
import { EngineError } from "limbeck-base/base/errors";
import { groupedBy } from "limbeck-base/base/grouped-by";
import { mean } from "limbeck-base/base/statistics/summary";
import { tInterval } from "limbeck-base/base/statistics/student-t";
import { sigmoid } from "./losses.ts";

/** Chance that a good one is above a bad one; ties count half. NaN where one kind is missing. */
export function areaUnderCurve(scores: readonly number[], labels: readonly number[]): number {
  const order = scores
    .map((score, at) => ({ score, good: (labels[at] as number) >= 0.5 }))
    .toSorted((left, right) => left.score - right.score);
  let [ranks, good] = [0, 0];
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && order[to]?.score === order[from]?.score) to += 1;
    // Ranks count from 1; equals share their mean.
    for (let at = from; at < to; at += 1) {
      if (order[at]?.good !== true) continue;
      ranks += (from + 1 + to) / 2;
      good += 1;
    }
    from = to;
  }
  const bad = order.length - good;
  return (ranks - (good * (good + 1)) / 2) / (good * bad);
}

/**
 * The same for things that grow: a good and a bad one are compared where both are as long, at every length that both
 * have. Otherwise a scorer that goes by length alone would seem to be a good one.
 */
export function areaAtEqualDepth(scores: readonly (readonly number[])[], labels: readonly number[]): number {
  let [inOrder, pairs] = [0, 0];
  const deepest = Math.max(0, ...scores.map(({ length }) => length));
  for (let depth = 0; depth < deepest; depth += 1) {
    const there = [...scores.keys()].filter((at) => depth < (scores[at]?.length ?? 0));
    const own = there.map((at) => labels[at] as number);
    const good = own.filter((label) => label >= 0.5).length;
    const count = good * (own.length - good);
    if (count === 0) continue;
    inOrder +=
      count *
      areaUnderCurve(
        there.map((at) => scores[at]?.[depth] as number),
        own,
      );
    pairs += count;
  }
  return inOrder / pairs;
}

export interface CalibrationBin {
  readonly said: number;
  readonly was: number;
  readonly count: number;
}

/** Bins of as many each, by prediction; the error is their mean distance, weighed by their size. */
export function calibration(
  chances: readonly number[],
  labels: readonly number[],
  bins = 10,
): { readonly error: number; readonly bins: readonly CalibrationBin[] } {
  const order = chances
    .map((said, at) => ({ said, was: labels[at] as number }))
    .toSorted((left, right) => left.said - right.said);
  const found: CalibrationBin[] = [];
  for (let bin = 0; bin < bins; bin += 1) {
    const own = order.slice(Math.floor((bin * order.length) / bins), Math.floor(((bin + 1) * order.length) / bins));
    if (own.length > 0)
      found.push({ said: mean(own.map(({ said }) => said)), was: mean(own.map(({ was }) => was)), count: own.length });
  }
  const error = found.reduce((all, { said, was, count }) => all + Math.abs(said - was) * count, 0) / order.length;
  return { error, bins: found };
}

/** What makes chances of a head's outputs: sigmoid(slope * z + shift), fitted to the labels by Newton's method (Platt). */
export interface Platt {
  readonly slope: number;
  readonly shift: number;
  /** What the likelihood of its own words adds; see likelihood.ts. Default: nothing. */
  readonly likelihood?: { readonly mean: number; readonly least: number } | undefined;
}

export function fitPlatt(outputs: readonly number[], labels: readonly number[]): Platt {
  if (outputs.length !== labels.length) throw new EngineError("internal", "outputs and labels differ in number");
  let [slope, shift] = [1, 0];
  for (let round = 0; round < 50; round += 1) {
    // A little weight on (1, 0) keeps it finite where outputs part the labels.
    let [gradSlope, gradShift, slopes, cross, shifts] = [0.01 * (slope - 1), 0.01 * shift, 0.01, 0, 0.01];
    for (const [at, z] of outputs.entries()) {
      const p = sigmoid(slope * z + shift);
      const [error, weight] = [p - (labels[at] as number), p * (1 - p)];
      gradSlope += error * z;
      gradShift += error;
      slopes += weight * z * z;
      cross += weight * z;
      shifts += weight;
    }
    const determinant = slopes * shifts - cross * cross;
    const step = [
      (shifts * gradSlope - cross * gradShift) / determinant,
      (slopes * gradShift - cross * gradSlope) / determinant,
    ] as const;
    slope -= step[0];
    shift -= step[1];
    if (Math.abs(step[0]) + Math.abs(step[1]) < 1e-9) break;
  }
  return Number.isFinite(slope) && Number.isFinite(shift) ? { slope, shift } : { slope: 1, shift: 0 };
}

export interface Candidate {
  readonly group: string;
  readonly success: number;
  readonly score: number;
}

/** Success of the best by score of n drawn from each group without putting back, exactly; one value for each group that has n. */
export function bestOf(candidates: readonly Candidate[], n: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [group, members] of groupedBy(candidates, (one) => one.group)) {
    if (members.length < n) continue;
    const order = members.toSorted((left, right) => right.score - left.score);
    let [value, at] = [0, 0];
    while (at < order.length) {
      // Equals are as likely to be the chosen one.
      let to = at;
      while (to < order.length && order[to]?.score === order[at]?.score) to += 1;
      const equals = order.slice(at, to);
      let chance = 0;
      for (let place = at; place < to; place += 1) chance += isFirst(order.length, place, n);
      value += chance * mean(equals.map(({ success }) => success));
      at = to;
    }
    found.set(group, value);
  }
  return found;
}

/** Chance that the one at this place is in the draw and none before it is: C(m - 1 - place, n - 1) / C(m, n). */
function isFirst(members: number, place: number, n: number): number {
  let chance = n / members;
  for (let drawn = 0; drawn < n - 1; drawn += 1)
    chance *= Math.max(0, members - 1 - place - drawn) / (members - 1 - drawn);
  return chance;
}

/** The difference by groups that both have, with its interval. */
export function pairedDifference(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>) {
  const differences = [...left].flatMap(([group, value]) =>
    right.has(group) ? [value - (right.get(group) as number)] : [],
  );
  const { mean: centre, low, high } = tInterval(differences);
  return { mean: centre, low, high };
}
