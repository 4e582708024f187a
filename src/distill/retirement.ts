/**
 * When a teacher has nothing left to teach: the student says what the teacher would say, advice or no advice. Measured on
 * what an update has anyway, the shift of every taught word; nothing is asked or played for it.
 */
import type { ShiftSummary } from "./diagnostics.ts";

export interface RetirementOptions {
  /** Share of the first gap below which the student counts as having caught up. */
  readonly below: number;
  /** Taught updates in a row that must show it, so that one odd batch does not decide. Default: 3. */
  readonly patience?: number;
}

/** Plain numbers, for a checkpoint. */
export interface Retirement {
  /** The gap of the first taught update; null before it. */
  readonly firstGap: number | null;
  /** Taught updates in a row whose gap was below the limit. */
  readonly closeUpdates: number;
  /** The update after which it was silent; null while it teaches. */
  readonly retiredAt: number | null;
}

export const STILL_TEACHING: Retirement = { firstGap: null, closeUpdates: 0, retiredAt: null };

const ENOUGH_TOKENS = 32;

/** How far the teacher's opinion lies from the student's, whichever way: the root of the mean square of the shift, in nats. */
export function gapOf({ mean, deviation }: Pick<ShiftSummary, "mean" | "deviation">): number {
  return Math.hypot(mean, deviation);
}

/** After every taught update. An update with too few words counts for nothing. */
export function watchGap(
  before: Retirement,
  update: number,
  shift: Pick<ShiftSummary, "tokens" | "mean" | "deviation">,
  { below, patience = 3 }: RetirementOptions,
): Retirement {
  if (before.retiredAt !== null || shift.tokens < ENOUGH_TOKENS) return before;
  const gap = gapOf(shift);
  const firstGap = before.firstGap ?? gap;
  const closeUpdates = gap < below * firstGap ? before.closeUpdates + 1 : 0;
  return { firstGap, closeUpdates, retiredAt: closeUpdates >= patience ? update : null };
}
