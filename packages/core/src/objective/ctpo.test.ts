import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { ctpo } from "./ctpo.ts";

const OPEN = { clipLow: 9, clipHigh: 9, dualClip: null };
const each = (options: object, fields: object = {}) => {
  // One token at a time is told apart by its weight.
  const row = { now: [0.1, 0.05, 0.2], oldLogprobs: [0, 0, 0], advantages: [1, 1, 1], ...fields };
  return [0, 1, 2].map((token) => {
    const weights = [0, 0, 0].with(token, 3);
    return -computeRows(ctpo.create(options), [{ ...row, weights }]).loss;
  });
};
const near = (found: readonly number[], expected: readonly number[]) => {
  expect(found).toHaveLength(expected.length);
  for (const [at, value] of expected.entries()) expect(found[at]).toBeCloseTo(value, 6);
};

test("ratios of prefixes", () => {
  // c 0.1, 0.15, 0.35.
  near(each(OPEN), [1.105171, 1.161834, 1.419068]);
  // Means 0.1, 0.075, 0.116667.
  near(each({ ...OPEN, prefix: "mean" }), [1.105171, 1.077884, 1.123745]);
});

test("bounds that widen with the position", () => {
  // exp(0.05), exp(0.05 * sqrt(2)), exp(0.05 * sqrt(3)).
  near(each({}), [1.051271, 1.073271, 1.090463]);
  // power 0: the same everywhere.
  near(each({ power: 0 }), [1.051271, 1.051271, 1.051271]);
});

test("masked tokens add nothing and have no position", () => {
  const row = { now: [0.1, 7, 0.05], oldLogprobs: [0, 0, 0], advantages: [1, 1, 1], mask: [1, 0, 1] };
  // (1.105171 + 1.161834) / 2
  expect(computeRows(ctpo.create(OPEN), [row]).loss).toBeCloseTo(-1.133503, 6);
});

test("a negative advantage above the upper clip has no gradient, unless the dual clip is opened", () => {
  const row = { now: [0.1], oldLogprobs: [0], advantages: [-1] };
  const published = computeRows(ctpo.create(), [row]);
  expect(published.loss).toBeCloseTo(1.051271, 6);
  expect(published.slopes[0]![0]).toBe(0);
  const open = computeRows(ctpo.create({ dualClip: 3 }), [row]);
  expect(open.loss).toBeCloseTo(1.105171, 6);
  expect(open.slopes[0]![0]).toBeCloseTo(1.105171, 6);
});

test("a long row is capped", () => {
  const now = Array.from({ length: 8 }, () => 2);
  const row = { now, oldLogprobs: now.map(() => 0), advantages: now.map(() => 1) };
  // c is 16 at the last token, held at 10.
  const { slopes } = computeRows(ctpo.create(OPEN), [row]);
  expect(slopes[0]!.at(-1)).toBe(0);
});

test("impossible options are refused", () => {
  expect(() => ctpo.create({ dualClip: 1 })).toThrow(/dualClip of ctpo is 1/);
  expect(() => ctpo.create({ prefix: "product" as never })).toThrow(/prefix of ctpo is "product"/);
});

publishedObjective("ctpo", ctpo);
