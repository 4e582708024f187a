import { expect, test } from "vitest";
import { intervalOf } from "../research/bench/harness.ts";

test("the interval of a median leaves out as many runs as coins would, 2.5% on either side", () => {
  // All of five on one side: 1 in 32. Of six: 1 in 64.
  expect(intervalOf([1, 2, 3, 4, 5])).toBeUndefined();
  expect(intervalOf([6, 2, 3, 4, 5, 1])).toEqual([1, 6]);
  // At most one of nine: 10 in 512; at most two: 46 in 512.
  expect(intervalOf([9, 8, 7, 6, 5, 4, 3, 2, 1])).toEqual([2, 8]);
});
