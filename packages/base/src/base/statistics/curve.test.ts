import { expect, test } from "vitest";
import { createRng } from "../rng.ts";
import { alignCurves, areaUnder, bootstrapBand, censoredMedian, heightAt, xToReach, type Curve } from "./curve.ts";

const of = (...points: readonly (readonly [number, number])[]): Curve => points.map(([x, y]) => ({ x, y }));
const curve = of([0, 0.2], [10, 0.4], [30, 0.8]);

test("heights between points, before the first and after the last", () => {
  expect([heightAt(curve, 0), heightAt(curve, 9), heightAt(curve, 10), heightAt(curve, 99)]).toEqual([
    0.2, 0.2, 0.4, 0.8,
  ]);
  expect(heightAt(curve, 20, "linear")).toBeCloseTo(0.6, 12);
  expect(heightAt(curve, -1)).toBeUndefined();
  expect(() => heightAt([], 0)).toThrow(/has no points/);
  expect(() => heightAt(of([1, 0], [0, 0]), 0)).toThrow(/goes back at point 1 \(x = 0\)/);
});

test("areas worked by hand", () => {
  // Trapezoids: 10 · 0.3 + 20 · 0.6 = 15 over 30: 0.5. Steps: 10 · 0.2 + 20 · 0.4 = 10 over 30: 0.333333.
  expect(areaUnder(curve)).toBeCloseTo(0.5, 12);
  expect(areaUnder(curve, { interpolation: "step" })).toBeCloseTo(1 / 3, 12);
  // From 5 to 20: heights 0.3, 0.4, 0.6: 5 · 0.35 + 10 · 0.5 = 6.75 over 15: 0.45. To 40 it goes on level: 15 + 8 = 23.
  expect(areaUnder(curve, { from: 5, to: 20 })).toBeCloseTo(0.45, 12);
  expect(areaUnder(curve, { to: 40 })).toBeCloseTo(23 / 40, 12);
  expect(areaUnder(of([5, 0.7]))).toBe(0.7);
  expect(() => areaUnder(curve, { from: -5 })).toThrow(/from 0 on has no area from -5 to 30/);
});

test("curves with unlike axes meet on one grid", () => {
  const other = of([5, 1], [25, 0]);
  const { grid, rows } = alignCurves([curve, other]);
  expect(grid).toEqual([5, 10, 25]);
  expect(rows).toEqual([
    [0.2, 0.4, 0.4],
    [1, 1, 0],
  ]);
  expect(alignCurves([curve], { grid: [20], interpolation: "linear" }).rows[0]![0]).toBeCloseTo(0.6, 12);
  expect(() => alignCurves([curve, other], { grid: [0] })).toThrow(/Curve 1 begins at 5; the grid asks for 0/);
});

test("what is needed to reach a height, and what is never reached", () => {
  const bumpy = of([0, 0.1], [1, 0.7], [2, 0.5], [3, 0.6], [4, 0.9]);
  expect([xToReach(bumpy, 0.6), xToReach(bumpy, 0.6, { hold: 2 }), xToReach(bumpy, 0.95)]).toEqual([1, 3, null]);
  expect(xToReach(bumpy, 0.9, { hold: 2 })).toBeNull();
  expect([censoredMedian([3, null, 1]), censoredMedian([3, null, null]), censoredMedian([1, 2])]).toEqual([
    3,
    null,
    1.5,
  ]);
  expect([censoredMedian([1, null]), censoredMedian([])]).toEqual([null, null]);
});

test("a band is the line for one seed, holds the mean, and covers", () => {
  const rng = createRng("band");
  expect(bootstrapBand([[0.1, 0.5]], { rng })).toEqual({ mean: [0.1, 0.5], low: [0.1, 0.5], high: [0.1, 0.5] });
  // Three seeds: the range of the curves, for fewer draws cannot say more (2 of 27 resamples are of one seed).
  const three = bootstrapBand([[0], [1], [5]], { rng });
  expect([three.mean[0], three.low[0], three.high[0]].map((value) => Number(value!.toFixed(6)))).toEqual([2, 0, 5]);
  // Ten seeds whose points share an offset: 500 simulations of 0.95 spread by 0.0097; three of those are 0.029.
  let hits = 0;
  for (let simulation = 0; simulation < 500; simulation += 1) {
    const rows = Array.from({ length: 10 }, () => {
      const shared = rng.normal();
      return [shared + rng.normal(), shared + rng.normal()];
    });
    const { low, high } = bootstrapBand(rows, { rng, resamples: 300 });
    if (low[1]! <= 0 && 0 <= high[1]!) hits += 1;
  }
  expect(Math.abs(hits / 500 - 0.95)).toBeLessThan(0.029);
});
