import { expect, test } from "vitest";
import { gapOf, STILL_TEACHING, watchStudent, type Retirement, type RetirementOptions } from "./retirement.ts";

const shift = (mean: number, deviation: number, tokens = 100) => ({ mean, deviation, tokens });

function watched(gaps: readonly number[], successes: readonly number[], options: RetirementOptions): Retirement[] {
  const states: Retirement[] = [];
  for (const [at, gap] of gaps.entries()) {
    const told = { update: at + 1, shift: shift(0, gap), success: successes[at] ?? 0 };
    states.push(watchStudent(states.at(-1) ?? STILL_TEACHING, told, options));
  }
  return states;
}

test("the gap is the root of the mean square: squared mean and variance together", () => {
  // Shifts -7 and 1: mean -3, deviation 4; squares 49 and 1, mean 25.
  expect(gapOf(shift(-3, 4))).toBe(5);
});

test("by the gap: the mean of the last three below a share of that of the first three, and it stays retired", () => {
  const states = watched([9, 6, 3, 3, 3, 2, 12], [], { below: 0.5, success: null });
  // The first three have the mean 6, and half of it is 3. Means of the last three: 6, 4, 3 and 8/3; 3 is not below 3.
  expect(states.map(({ retiredAt }) => retiredAt)).toEqual([null, null, null, null, null, 6, 6]);
  expect(states.at(-1)).toMatchObject({ firstGaps: [9, 6, 3], lastGaps: [3, 3, 2] });
});

test("by success: the mean of three updates at the level, never before there are three", () => {
  const states = watched([1, 1, 1, 1, 1], [0.9, 0.5, 0.25, 0.5, 0.75], { below: null, success: 0.5 });
  // Means 0.55 at the third update already.
  expect(states.map(({ retiredAt }) => retiredAt)).toEqual([null, null, 3, 3, 3]);
  const later = watched([1, 1, 1, 1, 1], [0.25, 0.5, 0.25, 0.5, 0.75], { below: null, success: 0.5 });
  expect(later.map(({ retiredAt }) => retiredAt)).toEqual([null, null, null, null, 5]);
});

test("too few words are no evidence", () => {
  const told = { update: 1, shift: shift(Number.NaN, Number.NaN, 3), success: 1 };
  expect(watchStudent(STILL_TEACHING, told, { below: 2, success: 0 })).toEqual(STILL_TEACHING);
});
