import { expect, test } from "vitest";
import { createRng } from "../rng.ts";
import { drawMean, learnt } from "./normal-inverse-gamma.ts";

test("what was seen moves the mean and narrows the variance", () => {
  // 1 and 0: mean 0.5, squares 0.5. (0 + 2 * 0.5) / 3; (0.1 + 0.5 + 2 * 0.25 / 3) / 3 = 0.2555…
  const belief = learnt({ mean: 0, kappa: 1, nu: 1, variance: 0.1 }, { count: 2, mean: 0.5, squares: 0.5 });
  expect(belief.mean).toBeCloseTo(1 / 3, 12);
  expect(belief.variance).toBeCloseTo(23 / 90, 12);
  expect([belief.kappa, belief.nu]).toEqual([3, 3]);
});

test("20,000 draws of the mean have its mean and variance", () => {
  const rng = createRng("normal-inverse-gamma");
  const draws = Array.from({ length: 20_000 }, () => drawMean({ mean: 0.4, kappa: 4, nu: 10, variance: 0.2 }, rng));
  const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
  const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / draws.length;
  // Student's t with 10 degrees: variance 0.2 / 4 * 10 / 8 = 0.0625; four standard errors of the mean are 0.0071.
  expect(Math.abs(mean - 0.4)).toBeLessThan(0.0071);
  expect(Math.abs(variance - 0.0625)).toBeLessThan(0.004);
});
