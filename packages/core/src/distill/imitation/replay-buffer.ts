/**
 * SPEAR's buffer of a policy's own better rows. When it is full, every row is judged again by what groups have earned of
 * late, those that are no longer better are dropped, and a power of two of the others is learned from.
 *
 *   A' = (S - p50(group means of late)) [ / p50(group deviations of late) ];   kept while A' >= 0
 *
 * The formula itself is the credit method spear.
 */
import { mean, median } from "limbeck-base/base/statistics/summary";
import { shuffle, type Rng } from "limbeck-base/base/rng";
import type { TrainRow } from "limbeck-policy/policy/objective";

export interface HeldRow {
  readonly row: TrainRow;
  /** Reward of the episode it comes from. */
  readonly score: number;
  /** The update it was played in. */
  readonly update: number;
  /** Its advantage A' by what groups had earned when it was played. */
  readonly entered: number;
}

export interface GroupHistory {
  readonly means: readonly number[];
  readonly deviations: readonly number[];
}

/** Rows with a mean advantage above 0, of those that have tokens to learn. */
export function betterRows(rows: readonly TrainRow[]): TrainRow[] {
  return rows.filter(({ mask, advantages }) => {
    const own = [...(advantages ?? [])].filter((_, at) => mask[at] === 1);
    return own.length > 0 && mean(own) > 0;
  });
}

/** Without rows that are older than this many updates. */
export function withoutOld(held: readonly HeldRow[], update: number, maxAge: number): HeldRow[] {
  return held.filter((one) => update - one.update <= maxAge);
}

/** The newest entries of a history. */
export function extendHistory(history: GroupHistory, more: GroupHistory, most: number): GroupHistory {
  return {
    means: [...history.means, ...more.means].slice(-most),
    deviations: [...history.deviations, ...more.deviations].slice(-most),
  };
}

export interface RecalibrateOptions {
  /** Also divides by the median deviation. */
  readonly scale: boolean;
  readonly epsilon: number;
}

/** A' of a score by what groups have earned of late; below 0 where that is more. */
export function recalibratedAdvantage(
  score: number,
  { means, deviations }: GroupHistory,
  { scale, epsilon }: RecalibrateOptions,
): number {
  const baseline = means.length === 0 ? 0 : median(means);
  const spread = scale && deviations.length > 0 ? median(deviations) + epsilon : 1;
  return (score - baseline) / spread;
}

/** Rows that are still at least as good as groups of late, with their new advantage at every trained token. */
export function recalibrate(held: readonly HeldRow[], history: GroupHistory, options: RecalibrateOptions): TrainRow[] {
  return held.flatMap(({ row, score }) => {
    const advantage = recalibratedAdvantage(score, history, options);
    if (advantage < 0) return [];
    return [{ ...row, advantages: Float64Array.from(row.mask, (on) => (on === 1 ? advantage : 0)) }];
  });
}

/** How rows of earlier updates stand now: their mean advantage when they were played, and today. */
export function standing(
  held: readonly HeldRow[],
  update: number,
  history: GroupHistory,
  options: RecalibrateOptions,
): { readonly rows: number; readonly entered: number; readonly now: number } | undefined {
  const old = held.filter((one) => one.update < update);
  if (old.length === 0) return undefined;
  return {
    rows: old.length,
    entered: mean(old.map(({ entered }) => entered)),
    now: mean(old.map(({ score }) => recalibratedAdvantage(score, history, options))),
  };
}

/** The largest power of two of them that there is, drawn without replacement and in their order. */
export function powerOfTwoSample<T>(items: readonly T[], rng: Rng): T[] {
  if (items.length === 0) return [];
  const count = 2 ** Math.floor(Math.log2(items.length));
  const chosen = new Set(shuffle([...items.keys()], rng).slice(0, count));
  return items.filter((_, at) => chosen.has(at));
}
