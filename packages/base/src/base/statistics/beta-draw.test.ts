import { expect, test } from "vitest";
import { createRng } from "../rng.ts";
import { drawBeta } from "./beta-draw.ts";

test.each([
  [1, 1],
  [0.5, 2],
  [7.5, 3.5],
])("20,000 draws of Beta(%d, %d) have its mean and variance", (a, b) => {
  const rng = createRng(`beta ${a} ${b}`);
  const draws = Array.from({ length: 20_000 }, () => drawBeta(a, b, rng));
  const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
  const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / draws.length;
  // Mean a / (a + b); variance ab / ((a + b)^2 (a + b + 1)); four standard errors of the mean are below 0.009.
  expect(Math.abs(mean - a / (a + b))).toBeLessThan(0.009);
  expect(Math.abs(variance - (a * b) / ((a + b) ** 2 * (a + b + 1)))).toBeLessThan(0.004);
  expect(draws.every((draw) => draw > 0 && draw < 1)).toBe(true);
});
