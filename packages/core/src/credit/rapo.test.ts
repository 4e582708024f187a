import { expect, test } from "vitest";
import { answers, assign, rowAdvantages } from "../../../../test/support/credit.ts";
import { rapo } from "./rapo.ts";

const drifted = (drift: number) => ({ logprobs: { old: [-1], previousTask: [-1 - drift] } });
const near = (found: readonly number[], expected: readonly number[]) => {
  expect(found).toHaveLength(expected.length);
  for (const [at, value] of expected.entries()) expect(found[at]).toBeCloseTo(value, 5);
};

test("nearer to the old policy earns more, by statistics that live on", () => {
  // R: 1 + 0.5 * exp(-0.1) = 1.452419, 1 + 0.5 * exp(-0.5) = 1.303265, 0, 0: mean 0.688921, variance 0.477389.
  // mu 0.9 * 0.5 + 0.1 * 0.688921 = 0.518892, var 0.9 * 0.25 + 0.1 * 0.477389 = 0.272739, root 0.522244.
  const batch = answers([1, 1, 0, 0], [0.1, 0.5, 0, 0].map(drifted));
  const prior = { priorMean: 0.5, priorVariance: 0.25 };
  near(rowAdvantages(rapo, batch, prior), [1.787525, 1.501924, -0.993579, -0.993579]);
  const { metrics } = assign(rapo, batch, prior);
  near([metrics["mean"]!, metrics["variance"]!], [0.518892, 0.272739]);
});

test("the first batch begins the statistics", () => {
  const { metrics } = assign(rapo, answers([1, 1, 0, 0], [0.1, 0.5, 0, 0].map(drifted)));
  near([metrics["mean"]!, metrics["variance"]!], [0.688921, 0.477388]);
});

test("within the task", () => {
  near(
    rowAdvantages(rapo, answers([1, 1], [0.1, 0.5].map(drifted)), { normalise: "group" }),
    [0.7071, -0.7071].map((value) => value - Math.sign(value) * 0.000003),
  );
});

test("a surer policy counts as near, and no variance is clamped", () => {
  // k = -0.5 held at 0: R 1.5 for both; variance 0, so differences would be divided by 1e-6.
  expect(rowAdvantages(rapo, answers([1, 1], [-0.5, 0].map(drifted)))).toEqual([0, 0]);
  // A prior far away: (1.5 - 0) / 1e-6, held at 5.
  expect(rowAdvantages(rapo, answers([1], [drifted(0)]), { priorMean: 0, priorVariance: 0, memory: 1 })).toEqual([5]);
});

test("k3", () => {
  // exp(-0.5) + 0.5 - 1 = 0.106531; 1 + 0.5 * exp(-0.106531) = 1.449474.
  const { metrics } = assign(rapo, answers([1], [drifted(0.5)]), { estimator: "k3" });
  near([metrics["mean"]!], [1.449474]);
});
