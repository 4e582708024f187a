/** What `expect` says of repeated trials: `expect.extend(trialMatchers)`. */
import { errorData, usageError } from "limbeck-base/base/errors";
import { wilson } from "limbeck-base/base/statistics/share";
import { passAll, type TrialsOutcome } from "./run-trials.ts";

export interface TrialBar {
  /** The share of trials that pass at least. Default: 1. */
  readonly rate?: number;
  /** The lower end of the interval of this confidence is at least `rate`, not only the share that was seen. */
  readonly confidence?: number;
  /** Instead of one trial, all of so many: pass^k is at least `rate`. */
  readonly all?: number;
}

interface Matched {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * `toPassTrials` for `expect.extend` of Vitest, Jest or Bun. With `confidence` the bar is for what is sure, so few trials do not pass it.
 *
 * @example
 * import { runTrials } from "limbeck/vitest";
 *
 * const outcome = await runTrials(10, (trial) => trial !== 3);
 * console.log(trialMatchers.toPassTrials(outcome, { rate: 0.8 }).pass); // true
 * console.log(trialMatchers.toPassTrials(outcome, { rate: 0.8, confidence: 0.95 }).pass); // false
 */
export const trialMatchers = {
  toPassTrials(received: unknown, { rate = 1, confidence, all }: TrialBar = {}): Matched {
    const outcome = received as Partial<TrialsOutcome> | null;
    const trials = outcome?.trials;
    if (trials === undefined || trials.length === 0)
      throw usageError("toPassTrials takes what runTrials gives: expect(await runTrials(8, …)).toPassTrials().");
    if (all !== undefined && confidence !== undefined)
      throw usageError(
        "toPassTrials takes either all or confidence: pass^k has no interval from the trials of one task.",
      );
    const passed = trials.filter(Boolean).length;
    const { low, high } = wilson(passed, trials.length, confidence ?? 0.95);
    const value = all !== undefined ? passAll(trials, all) : confidence !== undefined ? low : passed / trials.length;
    const what = all === undefined ? "" : `, pass^${all} ${value.toFixed(3)}`;
    const first = outcome?.errors?.[0];
    const why = first === undefined ? "" : `\nThe first failure: ${errorData(first).message}`;
    const bar = confidence === undefined ? `at least ${rate}` : `surely at least ${rate} (${100 * confidence} %)`;
    const seen = `${passed} of ${trials.length} trials passed [${low.toFixed(3)}, ${high.toFixed(3)}]${what}`;
    const pass = value >= rate;
    return { pass, message: () => `${seen}; ${pass ? "expected less than" : "expected"} ${bar}.${why}` };
  },
} as const;
