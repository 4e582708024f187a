import { expect, test } from "vitest";
import { shapedRatio } from "./shaped-ratio.ts";

test("the worked token", () => {
  // p = 0.2, gamma = 0.1: f = 0.2 / 0.3 = 0.666667, df/dlp = 0.1 * 0.2 / 0.09 = 0.222222; advantage 3.
  const row = { ids: new Int32Array(2), mask: Uint8Array.of(0, 1), advantages: Float64Array.of(0, 3) };
  const live = { logprob: [Float64Array.of(0, Math.log(0.2))] };
  const { loss, weights, metrics } = shapedRatio.create().compute(live, live, [row]);
  expect(loss).toBeCloseTo(-2, 6);
  expect(weights.logprob?.[0]?.[1]).toBeCloseTo(-0.666667, 6);
  expect(metrics?.["shaped"]).toBeCloseTo(0.666667, 6);
});

test("a gamma of 0 is refused", () => {
  expect(() => shapedRatio.create({ gamma: 0 })).toThrow(/gamma of shaped-ratio is 0/);
});
