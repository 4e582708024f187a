import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { clipped } from "./clipped.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { gspo } from "./gspo.ts";

const WIDE = { clipLow: 0.9, clipHigh: 9 };

test("one ratio for the row: the geometric mean of its tokens' ratios", () => {
  // d = 0.3, -0.1, 0.1; mean 0.1; s = e^0.1 = 1.105171. Loss -A s; slope of each token -A s / 3.
  const row = { now: [0.3, -0.1, 0.1], oldLogprobs: [0, 0, 0], advantages: [1, 1, 1] };
  const { loss, slopes } = computeRows(gspo.create(WIDE), [row]);
  expect(loss).toBeCloseTo(-1.105171, 6);
  for (const slope of slopes[0] as number[]) expect(slope).toBeCloseTo(-1.105171 / 3, 6);
});

test("its narrow clip takes the whole row out", () => {
  // 1.105171 is above 1 + 4e-4: loss -1.0004, no gradient anywhere.
  const row = { now: [0.3, -0.1, 0.1], oldLogprobs: [0, 0, 0], advantages: [1, 1, 1] };
  const { loss, slopes, metrics } = computeRows(gspo.create(), [row]);
  expect(loss).toBeCloseTo(-1.0004, 6);
  expect(slopes[0]?.every((slope) => slope === 0)).toBe(true);
  expect(metrics["clipFraction"]).toBe(1);
});

test("a row of one token is token-level clipping", () => {
  const rows = [1.5, 0.5, 1.1].map((ratio, at) => ({
    now: [Math.log(ratio)],
    oldLogprobs: [0],
    advantages: [at - 1],
  }));
  const clips = { clipLow: 0.2, clipHigh: 0.2 };
  const sequence = computeRows(gspo.create(clips), rows);
  const token = computeRows(clipped.create({ ...clips, dualClip: null }), rows);
  expect(sequence.loss).toBeCloseTo(token.loss, 7);
  sequence.slopes.flat().forEach((slope, at) => expect(slope).toBeCloseTo(token.slopes.flat()[at] as number, 7));
});

test("masked tokens are not in the mean", () => {
  // d = 0.3 and 0.1 count: mean 0.2.
  const row = { now: [0.3, -0.1, 0.1], oldLogprobs: [0, 0, 0], advantages: [1, 1, 1], mask: [1, 0, 1] };
  expect(computeRows(gspo.create(WIDE), [row]).loss).toBeCloseTo(-Math.exp(0.2), 6);
});

test("another aggregation is refused", () => {
  const options = { aggregation: "token-mean" } as unknown as Parameters<typeof gspo.create>[0];
  expect(() => gspo.create(options)).toThrow('aggregation of gspo is "token-mean"; it takes seq-mean-token-mean');
});

publishedObjective("gspo", gspo);
