import { expect, test } from "vitest";
import { identifyScale, lossScales } from "./training-probe.ts";

// The trained token's gradient has norm 12 before anything is divided. Weights and tokens: alone 4, masked 1 of 4,
// longer 8, copies 4 + 4 (trained twice), beside 4 + 8.
const measured = {
  sum: { alone: 12, otherwiseMasked: 12, longer: 12, copies: 24, beside: 12 },
  // By the number of datums: 12, 12, 12, 24 / 2, 12 / 2.
  "datum-mean": { alone: 12, otherwiseMasked: 12, longer: 12, copies: 12, beside: 6 },
  // SkyRL on JAX. By weights, then datums: 12 / 4, 12 / 1, 12 / 8, (3 + 3) / 2, 3 / 2.
  "sequence-mean": { alone: 3, otherwiseMasked: 12, longer: 1.5, copies: 3, beside: 1.5 },
  // By length, then datums: 12 / 4, 12 / 4, 12 / 8, (3 + 3) / 2, 3 / 2.
  "sequence-mean-of-length": { alone: 3, otherwiseMasked: 3, longer: 1.5, copies: 3, beside: 1.5 },
  "sequence-sum": { alone: 3, otherwiseMasked: 12, longer: 1.5, copies: 6, beside: 3 },
  "sequence-sum-of-length": { alone: 3, otherwiseMasked: 3, longer: 1.5, copies: 6, beside: 3 },
  // By all weights: 12 / 4, 12 / 1, 12 / 8, 24 / 8, 12 / 12.
  "token-mean": { alone: 3, otherwiseMasked: 12, longer: 1.5, copies: 3, beside: 1 },
  "token-mean-of-length": { alone: 3, otherwiseMasked: 3, longer: 1.5, copies: 3, beside: 1 },
} as const;

test.each(Object.entries(measured))("%s is told by the gradient norms it leaves", (name, norms) => {
  expect(identifyScale(norms)).toBe(name);
  // A constant factor, and noise of a percent, change nothing.
  expect(identifyScale({ ...norms, alone: norms.alone * 1.01 })).toBe(name);
});

test("what fits none of them is not guessed", () => {
  expect(identifyScale({ alone: 12, otherwiseMasked: 12, longer: 12, copies: 17, beside: 12 })).toBeUndefined();
  expect(Object.keys(measured).sort()).toEqual(Object.keys(lossScales).sort());
});
