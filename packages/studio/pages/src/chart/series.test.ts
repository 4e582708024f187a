import { expect, test } from "vitest";
import { nearestX, neighbourX, pointAt, smoothPoints, thinPoints, wholeSpan, within, type Series } from "./series.ts";

const line = (name: string, ...xs: number[]): Series => ({
  name,
  colour: 0,
  points: xs.map((x) => ({ x, y: 10 * x })),
});

test("neighbours are averaged and the band holds them all", () => {
  const points = [1, 2, 3, 4, 5].map((x) => ({ x, y: 10 * x }));
  // Five points into at most two: three and two. (1+2+3)/3 = 2, (4+5)/2 = 4.5.
  expect(thinPoints(points, 2)).toEqual([
    { x: 2, y: 20, low: 10, high: 30 },
    { x: 4.5, y: 45, low: 40, high: 50 },
  ]);
  expect(thinPoints(points, 5)).toBe(points);
});

test("smoothing begins at the first value and forgets by its weight", () => {
  const points = [
    { x: 1, y: 4 },
    { x: 2, y: 0 },
    { x: 3, y: 0 },
  ];
  // Weight 0.5: 4/1; (2 + 0)/(0.5 + 1) = 4/3; (1 + 0 + 0)/(0.25 + 0.5 + 1) = 4/7.
  const drawn = smoothPoints(points, 0.5).map(({ y }) => y);
  for (const [at, want] of [4, 4 / 3, 4 / 7].entries()) expect(drawn[at]).toBeCloseTo(want, 12);
  expect(smoothPoints(points, 0)).toBe(points);
});

test("a span keeps one point beside it on each side", () => {
  const { points } = line("a", 0, 2, 4, 6, 8);
  expect(within(points, [3, 6]).map(({ x }) => x)).toEqual([2, 4, 6, 8]);
  expect(within(points, [2.5, 3.5]).map(({ x }) => x)).toEqual([2, 4]);
  expect(within(points, [-5, 20]).map(({ x }) => x)).toEqual([0, 2, 4, 6, 8]);
  expect(within(points, undefined)).toBe(points);
});

test("the nearest x is looked for in all series, and only in what is shown", () => {
  const both = [line("a", 0, 10, 20), line("b", 12)];
  expect(nearestX(both, 11.4)).toBe(12);
  expect(nearestX(both, 4)).toBe(0);
  expect(nearestX(both, 11.4, [0, 11])).toBe(10);
  expect(nearestX([], 3)).toBeUndefined();
  expect(neighbourX(both, 10, 1)).toBe(12);
  expect(neighbourX(both, 12, -1)).toBe(10);
  expect(neighbourX(both, 20, 1)).toBeUndefined();
  expect(pointAt(line("a", 0, 10).points, 10)).toEqual({ x: 10, y: 100 });
  expect(pointAt(line("a", 0, 10).points, 9)).toBeUndefined();
  expect(wholeSpan(both)).toEqual([0, 20]);
  expect(wholeSpan([])).toBeUndefined();
});
