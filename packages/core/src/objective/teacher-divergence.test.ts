import { expect, test } from "vitest";
import { teacherDivergence } from "./teacher-divergence.ts";

const row = { ids: new Int32Array(4), mask: Uint8Array.of(0, 1, 1, 1) };
const live = { divergence: [Float64Array.of(0, 0.2, 0.4, 0.9), Float64Array.of(0, 5, 5, 5)] };

test("the mean divergence of the taught tokens; rows without a teacher take no part", () => {
  // Row 0 is taught at tokens 1 and 2: (0.2 + 0.4) / 2 = 0.3, slope 1/2 each. Row 1 has no teacher.
  const taught = { ...row, teacher: new Float32Array(4), teacherMask: Uint8Array.of(0, 1, 1, 0) };
  const { loss, weights, metrics } = teacherDivergence.create().compute(live, live, [taught, row]);
  expect(loss).toBeCloseTo(0.3, 12);
  expect(weights.divergence).toEqual([Float64Array.of(0, 0.5, 0.5, 0), new Float64Array(4)]);
  expect(metrics).toEqual({ trainedTokens: 2, divergence: expect.closeTo(0.3, 12) });
});

test("its weights are known beforehand, so that one pass is enough", () => {
  expect(teacherDivergence.create().constantWeights).toBe(true);
});
