import { expect, test } from "vitest";
import { createSchedule, type ScheduleId, type ScheduleOptions } from "./schedule.ts";

const rates = (options: ScheduleOptions, count: number): number[] =>
  Array.from({ length: count }, (_, step) => Number(createSchedule(options)(step).toFixed(9)));

test("constant stays, after a warm-up in equal steps", () => {
  // 0.8 * 1/4, 2/4, 3/4, 4/4, then 0.8.
  expect(rates({ kind: "constant", learningRate: 0.8, warmupSteps: 4 }, 6)).toEqual([0.2, 0.4, 0.6, 0.8, 0.8, 0.8]);
});

test("linear goes down to the final rate", () => {
  // p = 0, 1/4, 2/4, 3/4, then 1 and more: 1 - p.
  expect(rates({ kind: "linear", learningRate: 1, steps: 4 }, 6)).toEqual([1, 0.75, 0.5, 0.25, 0, 0]);
  // Warm-up of 2 of 6: 0.5, 1; then p = 0, 1/4, 2/4, 3/4 between 1 and 0.2: 1, 0.8, 0.6, 0.4; then 0.2.
  const options = { kind: "linear", learningRate: 1, steps: 6, warmupSteps: 2, finalLearningRate: 0.2 } as const;
  expect(rates(options, 7)).toEqual([0.5, 1, 1, 0.8, 0.6, 0.4, 0.2]);
});

test("cosine goes down slowly, fast, slowly", () => {
  // (1 + cos(pi p)) / 2 at p = 0, 1/3, 2/3, 1: 1, (1 + 0.5) / 2 = 0.75, (1 - 0.5) / 2 = 0.25, 0.
  expect(rates({ kind: "cosine", learningRate: 2, steps: 3 }, 4)).toEqual([2, 1.5, 0.5, 0]);
  // The same between 2 and 1: 1 + 1 * 0.75 and 1 + 1 * 0.25.
  expect(rates({ kind: "cosine", learningRate: 2, steps: 3, finalLearningRate: 1 }, 4)).toEqual([2, 1.75, 1.25, 1]);
});

test("what cannot be is refused by name", () => {
  const make = (options: Partial<ScheduleOptions>) => () =>
    createSchedule({ kind: "linear", learningRate: 1, steps: 10, ...options });
  expect(make({ kind: "cosin" as ScheduleId })).toThrow('Did you mean "cosine"?');
  expect(make({ learningRate: Number.NaN })).toThrow("learningRate is NaN");
  expect(make({ warmupSteps: 11 })).toThrow("at most the 10 steps");
  expect(make({ steps: 0 })).toThrow("steps is 0");
  expect(() => createSchedule({ kind: "cosine", learningRate: 1 })).toThrow('given for the schedule "cosine"');
});
