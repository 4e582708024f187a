import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { clipped } from "./clipped.ts";
import { combine } from "./combine.ts";
import { entropyBonus } from "./entropy-bonus.ts";
import { kl } from "./kl.ts";
import { policyGradient } from "./policy-gradient.ts";

test("losses, weights and metrics of the parts, times their weights", () => {
  // Policy: -(2 * -1) = 2, slope -2. k1 to a reference of -1.5: 0.5, slope 1. 2 + 0.1 * 0.5 = 2.05; -2 + 0.1 = -1.9.
  const row = { now: [-1], advantages: [2], referenceLogprobs: [-1.5] };
  const both = combine([
    { objective: policyGradient.create(), weight: 1, name: "policy" },
    { objective: kl.create({ estimator: "k1" }), weight: 0.1, name: "kl" },
  ]);
  const { loss, slopes, metrics } = computeRows(both, [row]);
  expect(loss).toBeCloseTo(2.05, 12);
  expect(slopes[0]?.[0]).toBeCloseTo(-1.9, 12);
  expect(metrics).toEqual({
    "policy/loss": 2,
    "policy/trainedTokens": 1,
    "kl/loss": 0.5,
    "kl/trainedTokens": 1,
    "kl/kl": 0.5,
  });
});

test("needs are those of the parts that count", () => {
  const parts = (weight: number) =>
    combine([
      { objective: policyGradient.create(), weight: 1 },
      { objective: entropyBonus.create(), weight },
    ]);
  expect(parts(0.01).needs).toEqual(["logprob", "entropy"]);
  expect(parts(0).needs).toEqual(["logprob"]);
});

test("weights are known beforehand only when they are for every part", () => {
  const constant = { objective: policyGradient.create(), weight: 1 };
  expect(combine([constant, { objective: entropyBonus.create(), weight: 1 }]).constantWeights).toBe(true);
  expect(combine([constant, { objective: clipped.create(), weight: 1 }]).constantWeights).toBeUndefined();
});

test("nothing to combine, and weights that are no numbers, are refused", () => {
  expect(() => combine([])).toThrow("no objective to combine");
  expect(() => combine([{ objective: clipped.create(), weight: Number.NaN, name: "policy" }])).toThrow(
    'Objective "policy" is combined with weight NaN',
  );
});
