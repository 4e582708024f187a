import { expect, test } from "vitest";
import { gapOf, STILL_TEACHING, watchGap, type Retirement } from "./retirement.ts";

const shift = (mean: number, deviation: number, tokens = 100) => ({ mean, deviation, tokens });

test("the gap is the root of the mean square: squared mean and variance together", () => {
  // Shifts -7 and 1: mean -3, deviation 4; squares 49 and 1, mean 25.
  expect(gapOf(shift(-3, 4))).toBe(5);
});

test("three taught updates in a row below the share of the first gap, and it stays retired", () => {
  // The first gap is 5, the limit 0.6 of it: 3.
  const gaps = [5, 2, 2, 3.5, 2, 2, 2.9, 9];
  const states: Retirement[] = [];
  for (const [at, gap] of gaps.entries()) {
    states.push(watchGap(states.at(-1) ?? STILL_TEACHING, at + 1, shift(0, gap), { below: 0.6 }));
  }
  expect(states.map(({ closeUpdates }) => closeUpdates)).toEqual([0, 1, 2, 0, 1, 2, 3, 3]);
  expect(states.map(({ retiredAt }) => retiredAt)).toEqual([null, null, null, null, null, null, 7, 7]);
  expect(states.at(-1)?.firstGap).toBe(5);
});

test("too few words are no evidence, neither of a first gap nor of a small one", () => {
  const few = watchGap(STILL_TEACHING, 1, shift(0, 9, 3), { below: 0.5, patience: 1 });
  expect(few).toEqual(STILL_TEACHING);
  const first = watchGap(few, 2, shift(0, 4), { below: 0.5, patience: 1 });
  expect(first).toEqual({ firstGap: 4, closeUpdates: 0, retiredAt: null });
  expect(watchGap(first, 3, shift(Number.NaN, Number.NaN, 0), { below: 0.5, patience: 1 })).toEqual(first);
  expect(watchGap(first, 4, shift(1, 1), { below: 0.5, patience: 1 }).retiredAt).toBe(4);
});
