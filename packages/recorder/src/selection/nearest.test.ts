import { expect, test } from "vitest";
import { nearestBy } from "./select.ts";

test("by the angle alone, best first, never more than asked for", () => {
  // Angles to (1, 1): (3, 3) 1; (1, 0) 1 / sqrt 2 = 0.707107; (-2, 0) -0.707107; zeros 0.
  const near = nearestBy([[1, 0], [3, 3], [-2, 0], [0, 0], [1]]);
  const found = near([1, 1], 3);
  expect(found.map(({ at }) => at)).toEqual([1, 0, 3]);
  expect(found.map(({ likeness }) => Number(likeness.toFixed(5)))).toEqual([1, 0.70711, 0]);
});

test("a question of another length, or no vectors, find nothing", () => {
  expect(nearestBy([[1, 0]])([1], 2)).toEqual([]);
  expect(nearestBy([])([], 2)).toEqual([]);
});
