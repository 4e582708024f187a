import { expect, test } from "vitest";
import { thinned } from "./series.ts";

test("neighbours are averaged and the band holds them all", () => {
  const points = [1, 2, 3, 4, 5].map((x) => ({ x, y: 10 * x }));
  // Five points into at most two: three and two. (1+2+3)/3 = 2, (4+5)/2 = 4.5.
  expect(thinned(points, 2)).toEqual([
    { x: 2, y: 20, low: 10, high: 30 },
    { x: 4.5, y: 45, low: 40, high: 50 },
  ]);
  expect(thinned(points, 5)).toBe(points);
});
