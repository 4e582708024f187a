import { expect, test } from "vitest";
import { correlation } from "./rebuttal.ts";

test("correlation by hand", () => {
  // Deviations -1, 0, 1 and -2, 1, 1: 3 / sqrt(2 * 6).
  expect(
    correlation([
      [0, 0],
      [1, 3],
      [2, 3],
    ]),
  ).toBeCloseTo(3 / Math.sqrt(12), 9);
});
