/**
 * The learning rate of each update. After a linear warm-up the rate is a fraction between `learningRate` and
 * `finalLearningRate`, by p = (step - warmupSteps) / (steps - warmupSteps), which runs from 0 towards 1:
 *
 *   constant   learningRate
 *   linear     learningRate + (finalLearningRate - learningRate) p
 *   cosine     finalLearningRate + (learningRate - finalLearningRate) (1 + cos(pi p)) / 2
 *
 * Steps count from 0. Warm-up step s has (s + 1) / warmupSteps of the full rate: no update is wasted on a rate of zero.
 */
import { EngineError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";

/** How much of the way from the final to the full rate is left at progress p. */
export const schedules = {
  constant: () => 1,
  cosine: (progress: number) => (1 + Math.cos(Math.PI * progress)) / 2,
  linear: (progress: number) => 1 - progress,
} as const satisfies Record<string, (progress: number) => number>;

export type ScheduleId = keyof typeof schedules;
export const SCHEDULES = Object.keys(schedules) as readonly ScheduleId[];

export interface ScheduleOptions {
  readonly kind: ScheduleId;
  readonly learningRate: number;
  /** Updates in all; only "constant" can do without. */
  readonly steps?: number;
  readonly warmupSteps?: number;
  /** Where it ends. Default: 0. */
  readonly finalLearningRate?: number;
}

/** The learning rate of an update, counted from 0. Updates after the last keep the final rate. */
export type Schedule = (step: number) => number;

/**
 * The learning rate of every update.
 *
 * @example
 * const rate = createSchedule({ kind: "linear", learningRate: 1, steps: 10, warmupSteps: 2 });
 * console.log([0, 1, 2, 6, 10].map(rate)); // [ 0.5, 1, 1, 0.5, 0 ]
 */
export function createSchedule(options: ScheduleOptions): Schedule {
  const { kind, learningRate, steps, warmupSteps = 0, finalLearningRate = 0 } = options;
  const left = lookUp<(progress: number) => number>(schedules, kind, "schedule");
  const rate = (name: string, value: number): void => {
    if (!(Number.isFinite(value) && value >= 0)) throw bad(name, value, "a number of at least 0");
  };
  rate("learningRate", learningRate);
  rate("finalLearningRate", finalLearningRate);
  if (!(Number.isSafeInteger(warmupSteps) && warmupSteps >= 0)) {
    throw bad("warmupSteps", warmupSteps, "a whole number of at least 0");
  }
  if (steps === undefined && kind !== "constant") throw bad("steps", steps, `given for the schedule "${kind}"`);
  if (steps !== undefined && !(Number.isSafeInteger(steps) && steps >= 1)) {
    throw bad("steps", steps, "a whole number of at least 1");
  }
  if (steps !== undefined && warmupSteps > steps) throw bad("warmupSteps", warmupSteps, `at most the ${steps} steps`);
  const span = Math.max(1, (steps ?? warmupSteps + 1) - warmupSteps);
  return (step) => {
    if (step < warmupSteps) return (learningRate * (step + 1)) / warmupSteps;
    const progress = Math.min(1, (step - warmupSteps) / span);
    return finalLearningRate + (learningRate - finalLearningRate) * left(progress);
  };
}

function bad(name: string, value: unknown, allowed: string): EngineError {
  return new EngineError("bad-option", `The schedule's ${name} is ${String(value)}; it must be ${allowed}.`);
}
