/**
 * When a teacher has nothing left to teach. Two signs, each on what an update has anyway, so that nothing is asked or
 * played for it: with the skill in view the teacher says nearly what the student says without (the gap), or the student
 * succeeds as often as it was meant to. Both are means over several taught updates: one odd batch does not decide.
 */
import { mean } from "limbeck-base/base/statistics/summary";
import type { ShiftSummary } from "./diagnostics.ts";

export interface RetirementOptions {
  /** Share of the gap of the first taught updates below which the student has caught up; null: the gap does not count. */
  readonly below: number | null;
  /** The student's own success from which on it has caught up; null: success does not count. */
  readonly success: number | null;
}

/** Plain numbers, for a checkpoint. */
export interface Retirement {
  /** Gaps of the first taught updates, and of the last ones. */
  readonly firstGaps: readonly number[];
  readonly lastGaps: readonly number[];
  /** The student's success in the last taught updates. */
  readonly lastSuccess: readonly number[];
  /** The update after which it was silent; null while it teaches. */
  readonly retiredAt: number | null;
}

export const STILL_TEACHING: Retirement = { firstGaps: [], lastGaps: [], lastSuccess: [], retiredAt: null };

/** Taught updates that a mean is over. */
const WINDOW = 3;
const ENOUGH_TOKENS = 32;

/** How far the teacher's opinion lies from the student's, whichever way: the root of the mean square of the shift, in nats. */
export function gapOf({ mean: centre, deviation }: Pick<ShiftSummary, "mean" | "deviation">): number {
  return Math.hypot(centre, deviation);
}

export interface TaughtUpdate {
  readonly update: number;
  readonly shift: Pick<ShiftSummary, "tokens" | "mean" | "deviation">;
  /** Of the update's own episodes, without advice. */
  readonly success: number;
}

/** After every taught update. One with too few words counts for nothing. */
export function watchStudent(
  before: Retirement,
  { update, shift, success }: TaughtUpdate,
  options: RetirementOptions,
): Retirement {
  if (before.retiredAt !== null || shift.tokens < ENOUGH_TOKENS) return before;
  const gap = gapOf(shift);
  const firstGaps = [...before.firstGaps, gap].slice(0, WINDOW);
  const lastGaps = [...before.lastGaps, gap].slice(-WINDOW);
  const lastSuccess = [...before.lastSuccess, success].slice(-WINDOW);
  const isFull = lastGaps.length === WINDOW;
  const isClose = options.below !== null && mean(lastGaps) < options.below * mean(firstGaps);
  const isGood = options.success !== null && mean(lastSuccess) >= options.success;
  return { firstGaps, lastGaps, lastSuccess, retiredAt: isFull && (isClose || isGood) ? update : null };
}
