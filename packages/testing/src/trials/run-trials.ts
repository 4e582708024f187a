/** Repeated trials of one test, and which tasks are held out; for any test runner. */
import { createHash } from "node:crypto";
import { usageError } from "limbeck-base/base/errors";
import type { Interval } from "limbeck-base/base/statistics/interval";
import { passAtK } from "limbeck-base/base/statistics/pass-at-k";
import { wilson } from "limbeck-base/base/statistics/share";

/** What a test runner keeps with a test: `task` of Vitest's context, or anything with `meta`. */
export interface TrialTask {
  readonly meta: object;
}

/** What is written into `meta.limbeck`, where the reporter and `limbeck compare` find it. */
export interface TrialMeta {
  readonly trials: readonly boolean[];
  readonly heldOut: boolean;
}

export interface TrialsOutcome extends Interval {
  readonly trials: readonly boolean[];
  readonly passed: number;
  /** Share of the trials that passed; low and high are its 95% Wilson interval. */
  readonly rate: number;
  /** What the failed ones threw, in their order. */
  readonly errors: readonly unknown[];
}

export interface TrialOptions {
  /** The test that keeps the outcome. Default: none does. */
  readonly task?: TrialTask;
  /** Whether its task was held out from what was tuned. Default: false. */
  readonly heldOut?: boolean;
  /** How many run at once. Default: 1. */
  readonly concurrency?: number;
}

/** So many are enough for any claim of a test. */
const MOST_TRIALS = 10_000;

/**
 * Runs a trial so many times. One passes unless it throws or gives false; the others go on.
 *
 * @example
 * const { passed, rate, low } = await runTrials(4, (trial) => trial !== 2);
 * console.log(passed, rate, low.toFixed(2)); // 3 0.75 0.30
 */
export async function runTrials(
  count: number,
  trial: (index: number) => unknown,
  { task, heldOut = false, concurrency = 1 }: TrialOptions = {},
): Promise<TrialsOutcome> {
  if (!Number.isInteger(count) || count < 1 || count > MOST_TRIALS)
    throw usageError(`runTrials takes a whole number of trials from 1 to ${MOST_TRIALS}; got ${count}.`);
  const outcomes: { readonly passed: boolean; readonly error?: unknown }[] = Array.from({ length: count });
  const waiting = outcomes.keys();
  const work = async (): Promise<void> => {
    for (const index of waiting) {
      try {
        outcomes[index] = { passed: (await trial(index)) !== false };
      } catch (error) {
        outcomes[index] = { passed: false, error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(count, concurrency)) }, work));
  const trials = outcomes.map(({ passed }) => passed);
  const passed = trials.filter(Boolean).length;
  if (task !== undefined) Object.assign(task.meta, { limbeck: { trials, heldOut } satisfies TrialMeta });
  const errors = outcomes.flatMap((outcome) => ("error" in outcome ? [outcome.error] : []));
  return { trials, passed, rate: passed / count, ...wilson(passed, count), errors };
}

/**
 * pass^k: the chance that all of k trials pass, from those there are.
 *
 * @example
 * console.log(passAll([true, true, true, false], 2)); // 0.5
 */
export function passAll(trials: readonly boolean[], k: number): number {
  return 1 - passAtK(trials.length, trials.filter((passed) => !passed).length, k);
}

/**
 * Whether a task is held out: the same on every machine, by its name alone, for about this share of all names.
 *
 * @example
 * const names = Array.from({ length: 1000 }, (_, at) => `task-${at}`);
 * const share = names.filter((name) => isHeldOut(name)).length / 1000;
 * console.log(share > 0.16, share < 0.24, isHeldOut("task-1") === isHeldOut("task-1")); // true true true
 */
export function isHeldOut(name: string, share = 0.2): boolean {
  if (!(share >= 0 && share <= 1)) throw usageError(`A share of held-out tasks is from 0 to 1; got ${share}.`);
  return createHash("sha256").update(name).digest().readUInt32BE(0) / 2 ** 32 < share;
}
