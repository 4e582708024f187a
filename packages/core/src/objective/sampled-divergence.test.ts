import { expect, test } from "vitest";
import { sampledDivergence } from "./sampled-divergence.ts";

const lpS = [-1, -0.2, -3];
const lpT = [-0.7, -0.9, -3];

function lossOf(token: number, options: Parameters<typeof sampledDivergence.create>[0] = {}) {
  const row = {
    ids: new Int32Array(2),
    mask: Uint8Array.of(0, 1),
    teacherLogprobs: Float64Array.of(0, lpT[token] as number),
  };
  const live = { logprob: [Float64Array.of(0, lpS[token] as number)] };
  const { loss, weights } = sampledDivergence.create(options).compute(live, live, [row]);
  return { loss, slope: weights.logprob?.[0]?.[1] };
}

test("TRD's worked k3 of three tokens", () => {
  // k = -0.3: exp(0.3) - 0.3 - 1; k = 0.7: exp(-0.7) + 0.7 - 1; k = 0: 0.
  expect(lossOf(0).loss).toBeCloseTo(0.049859, 6);
  expect(lossOf(1).loss).toBeCloseTo(0.196585, 6);
  expect(lossOf(2).loss).toBe(0);
});

test("a clamped token counts as much as the clamp and pulls no more", () => {
  expect(lossOf(1, { clamp: 0.1 })).toEqual({ loss: 0.1, slope: 0 });
  expect(lossOf(0, { clamp: 0.1 }).loss).toBeCloseTo(0.049859, 6);
});

test("rows without a teacher take no part; odd options are refused", () => {
  const rows = [{ ids: new Int32Array(2), mask: Uint8Array.of(0, 1) }];
  const live = { logprob: [Float64Array.of(0, -1)] };
  expect(sampledDivergence.create().compute(live, live, rows).loss).toBe(0);
  expect(() => sampledDivergence.create({ clamp: 0 })).toThrow(/clamp of sampled-divergence is 0/);
  expect(() => sampledDivergence.create({ estimator: "k3+" as never })).toThrow(
    /estimator of sampled-divergence is "k3\+"/,
  );
});
