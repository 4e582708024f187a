import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { betterRows, extendHistory, powerOfTwoSample, recalibrate, standing, withoutOld } from "./replay-buffer.ts";

const row = (advantages: readonly number[]): TrainRow => ({
  ids: new Int32Array(3),
  mask: Uint8Array.of(0, 1, 1),
  advantages: Float64Array.from(advantages),
});

test("rows enter by the mean advantage of their trained tokens", () => {
  // Mean of the last two: 0.5, 0, -1; the first token is not trained.
  expect(betterRows([row([9, 0, 1]), row([9, 1, -1]), row([9, -1, -1])])).toEqual([row([9, 0, 1])]);
  expect(betterRows([{ ids: new Int32Array(1), mask: new Uint8Array(1), advantages: Float64Array.of(3) }])).toEqual([]);
});

test("recalibration: the worked numbers", () => {
  // p50 of 0.2, 0.4, 0.6, 0.5 is 0.45. 1 - 0.45 = 0.55 stays, 0.3 - 0.45 is dropped, 0.45 is just kept.
  const history = { means: [0.2, 0.4, 0.6, 0.5], deviations: [0.5, 0.1, 0.3] };
  const held = [1, 0.3, 0.45].map((score) => ({ row: row([0, 7, 7]), score, update: 1, entered: score }));
  const kept = recalibrate(held, history, { scale: false, epsilon: 0 });
  expect(kept.map(({ advantages }) => [...(advantages ?? [])].map((value) => Number(value.toFixed(6))))).toEqual([
    [0, 0.55, 0.55],
    [0, 0, 0],
  ]);
  // Over the median deviation 0.3: 0.55 / 0.3 = 1.833333.
  const scaled = recalibrate(held.slice(0, 1), history, { scale: true, epsilon: 0 });
  expect(scaled[0]?.advantages?.[1]).toBeCloseTo(1.833333, 6);
});

test("the advantage of an old row shrinks as groups earn more, and at last it is dropped", () => {
  const held = [
    { row: row([0, 1, 1]), score: 1, update: 1, entered: 0.8 },
    { row: row([0, 1, 1]), score: 0.5, update: 1, entered: 0.3 },
    { row: row([0, 1, 1]), score: 1, update: 3, entered: 0.4 },
  ];
  const plain = { scale: false, epsilon: 0 };
  // Played when the median was 0.2. Then groups earned 0.2, 0.6, 0.6: 1 - 0.6 = 0.4 and 0.5 - 0.6 = -0.1, mean 0.15.
  const later = { means: [0.2, 0.6, 0.6], deviations: [] };
  const stands = standing(held, 3, later, plain);
  expect(stands?.rows).toBe(2);
  expect([stands?.entered, stands?.now].map((value) => Number(value?.toFixed(6)))).toEqual([0.55, 0.15]);
  expect(recalibrate(held, later, plain)).toHaveLength(2);
  // Rows of this very update are not old.
  expect(standing(held.slice(2), 3, later, plain)).toBeUndefined();
});

test("old rows go, a history keeps its newest entries", () => {
  const held = [1, 5, 11].map((update) => ({ row: row([0, 1, 1]), score: 1, update, entered: 1 }));
  expect(withoutOld(held, 12, 10).map(({ update }) => update)).toEqual([5, 11]);
  const longer = extendHistory({ means: [1, 2], deviations: [] }, { means: [3], deviations: [4] }, 2);
  expect(longer).toEqual({ means: [2, 3], deviations: [4] });
});

test("a power of two of them, in their order", () => {
  const drawn = powerOfTwoSample([1, 2, 3, 4, 5, 6, 7], createRng(1));
  expect(drawn).toHaveLength(4);
  expect(drawn).toEqual(drawn.toSorted((left, right) => left - right));
  expect(powerOfTwoSample([], createRng(1))).toEqual([]);
  expect(powerOfTwoSample(["only"], createRng(1))).toEqual(["only"]);
});
