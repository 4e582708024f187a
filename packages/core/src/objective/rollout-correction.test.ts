import { expect, test } from "vitest";
import { computeRows, type ResponseRow } from "../../../../test/support/objective.ts";
import { policyGradient } from "./policy-gradient.ts";
import type { RolloutCorrection } from "./rollout-correction.ts";

/** Log-probability -1 and advantage 1: the loss of a token is its weight. */
const row = (old: number[], sampler: number[]): ResponseRow => ({
  now: old.map(() => -1),
  advantages: old.map(() => 1),
  oldLogprobs: old,
  rolloutLogprobs: sampler,
});
const run = (rows: ResponseRow[], rolloutCorrection: Partial<RolloutCorrection>) =>
  computeRows(policyGradient.create({ rolloutCorrection }), rows);

test("token weights, truncated at 2", () => {
  // e^0.9 = 2.459603, truncated to 2; e^0.2 = 1.221403. Mean 1.610701.
  const { loss, slopes, metrics } = run([row([-1, -1], [-1.9, -1.2])], {});
  expect(loss).toBeCloseTo(1.610701, 6);
  expect(slopes[0]?.[0]).toBeCloseTo(-1, 12);
  expect(metrics["rolloutWeight"]).toBeCloseTo(1.610701, 6);
  expect(run([row([-1, -1], [-1.9, -1.2])], { truncate: null }).slopes[0]?.[0]).toBeCloseTo(-2.459603 / 2, 6);
});

test("one weight for a row", () => {
  // e^(0.9 - 0.6) = 1.349859 for both tokens.
  const { slopes } = run([row([-1, -1], [-1.9, -0.4])], { level: "sequence" });
  for (const slope of slopes[0] as number[]) expect(slope).toBeCloseTo(-1.349859 / 2, 6);
});

test("what the sampler did not report has weight 1", () => {
  const { rolloutLogprobs: _, ...silent } = row([-1], [-2]);
  expect(run([silent], {}).loss).toBe(1);
  expect(run([row([-1, -1], [-1.2, Number.NaN])], {}).slopes[0]?.[1]).toBe(-0.5);
});

test("rejected tokens leave the count", () => {
  // k = sampler - old = -0.9 and -0.2; k2 = 0.405 and 0.02. Above 0.1 the first goes; one token with weight 1 is left.
  const reject = { estimator: "k2", by: "token", above: 0.1 } as const;
  const { loss, slopes, metrics } = run([row([-1, -1], [-1.9, -1.2])], { level: "none", reject });
  expect(loss).toBe(1);
  expect(slopes).toEqual([[0, -1]]);
  expect(metrics).toMatchObject({ rejectedTokens: 1, rejectedRows: 0 });
});

test.each([
  // k2 = 0.405 and 0.02: sum 0.425, mean 0.2125, largest 0.405.
  ["sum", 0.42, 0.43],
  ["mean", 0.21, 0.22],
  ["max", 0.4, 0.41],
] as const)("rows are rejected by their %s", (by, below, above) => {
  const rows = [row([-1, -1], [-1.9, -1.2]), row([-1], [-1])];
  const trained = (limit: number) =>
    run(rows, { level: "none", reject: { estimator: "k2", by, above: limit } }).metrics["trainedTokens"];
  expect(trained(below)).toBe(1);
  expect(trained(above)).toBe(3);
});

test("everything rejected: nothing is learned", () => {
  const reject = { estimator: "k2", by: "sum", above: -1 } as const;
  const { loss, slopes, metrics } = run([row([-1], [-1])], { reject });
  expect(loss).toBe(0);
  expect(slopes).toEqual([[0]]);
  expect(metrics).toMatchObject({ trainedTokens: 0, rejectedRows: 1 });
});

test("bypass takes the sampler as the old policy", () => {
  // now -1, sampler -1 - ln 2: ratio 2, not the ratio 1 to the recomputed old policy; no further weight.
  const rows = [row([-1], [-1 - Math.LN2])];
  const create = (bypass: boolean) =>
    policyGradient.create({ ratio: true, rolloutCorrection: { bypass, level: "none" } });
  expect(computeRows(create(true), rows).slopes[0]?.[0]).toBeCloseTo(-2, 12);
  expect(computeRows(create(false), rows).slopes[0]?.[0]).toBeCloseTo(-1, 12);
});

test("bad options and rows are named", () => {
  const create = (rolloutCorrection: object) => () => policyGradient.create({ rolloutCorrection });
  expect(create({ level: "word" })).toThrow('rolloutCorrection.level of policy-gradient is "word"');
  expect(create({ truncate: 0 })).toThrow("rolloutCorrection.truncate of policy-gradient is 0");
  expect(create({ colour: 0 })).toThrow('No option of policy-gradient.rolloutCorrection "colour"');
  expect(create({ reject: { estimator: "k2", by: "row", above: 1 } })).toThrow(
    'rolloutCorrection.reject.by of policy-gradient is "row"',
  );
  expect(() => run([row([-1], [-1]), row([-1], [-1, -1])], {})).toThrow("row 1 has 3 rolloutLogprobs for 2 tokens");
});
