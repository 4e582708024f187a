import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { clipped } from "./clipped.ts";

/** One token with this ratio and advantage. */
function one(ratio: number, advantage: number, options?: Parameters<typeof clipped.create>[0]) {
  const row = { now: [Math.log(ratio)], oldLogprobs: [0], advantages: [advantage] };
  const { loss, slopes, metrics } = computeRows(clipped.create(options), [row]);
  return { loss, slope: slopes[0]?.[0] as number, metrics };
}

test.each([
  // max(-1.5, -1.2) = -1.2: clipped above, no gradient.
  [1.5, 1, -1.2, 0],
  // max(-0.5, -0.8) = -0.5: below the range, but the advantage pulls back, so the slope is -A r.
  [0.5, 1, -0.5, -0.5],
  // max(1.5, 1.2) = 1.5.
  [1.5, -1, 1.5, 1.5],
  // max(0.5, 0.8) = 0.8: clipped below.
  [0.5, -1, 0.8, 0],
  // max(5, 1.2) = 5, then min(5, 3) = 3: dual clip.
  [5, -1, 3, 0],
  [1.1, 0, 0, 0],
])("ratio %d and advantage %d give %d with slope %d", (ratio, advantage, loss, slope) => {
  const found = one(ratio, advantage);
  expect(found.loss).toBeCloseTo(loss, 12);
  expect(found.slope).toBeCloseTo(slope, 12);
});

test("clip-higher moves the upper side only", () => {
  expect(one(1.5, 1, { clipHigh: 0.28 }).loss).toBeCloseTo(-1.28, 12);
  expect(one(0.5, -1, { clipHigh: 0.28 }).loss).toBeCloseTo(0.8, 12);
});

test("without dual clip a bad token may cost anything", () => {
  expect(one(5, -1, { dualClip: null }).loss).toBeCloseTo(5, 12);
  expect(one(5, -1, { dualClip: null }).slope).toBeCloseTo(5, 12);
});

test("a dual clip of 1 or less is refused", () => {
  expect(() => clipped.create({ dualClip: 1 })).toThrow("dualClip of clipped is 1; it takes a number above 1");
  expect(() => clipped.create({ dualClip: Number.NaN })).toThrow("dualClip of clipped is NaN");
  expect(() => clipped.create({ clipLow: -0.1 })).toThrow("clipLow of clipped is -0.1");
});

test("counts what was clipped", () => {
  // Ratios 1.5, 0.5, 1.5, 0.5, 5: the first and fourth are clipped, the last by the dual clip.
  const row = {
    now: [1.5, 0.5, 1.5, 0.5, 5].map(Math.log),
    oldLogprobs: [0, 0, 0, 0, 0],
    advantages: [1, 1, -1, -1, -1],
  };
  const { metrics, loss } = computeRows(clipped.create(), [row]);
  // (-1.2 - 0.5 + 1.5 + 0.8 + 3) / 5
  expect(loss).toBeCloseTo(3.6 / 5, 12);
  expect(metrics).toMatchObject({ trainedTokens: 5, clipFraction: 2 / 5, lowerClipFraction: 1 / 5 });
  // -(ln 1.5 + ln 0.5 + ln 1.5 + ln 0.5 + ln 5) / 5 = -ln(2.8125) / 5
  expect(metrics["approximateKl"]).toBeCloseTo(-Math.log(2.8125) / 5, 12);
});

test("a log-ratio beyond 20 is held there", () => {
  const row = { now: [50], oldLogprobs: [0], advantages: [-1] };
  const { loss, slopes, metrics } = computeRows(clipped.create({ dualClip: null }), [row]);
  expect(loss).toBeCloseTo(Math.exp(20), 2);
  expect(slopes).toEqual([[0]]);
  expect(metrics["approximateKl"]).toBe(-20);
});

test("weights of tokens multiply their loss; the count of tokens stays", () => {
  // Ratios 1: losses -1 and -1; (2 * -1 + 0.5 * -1) / 2 = -1.25.
  const row = { now: [0, 0], oldLogprobs: [0, 0], advantages: [1, 1], weights: [2, 0.5] };
  const { loss, slopes } = computeRows(clipped.create(), [row]);
  expect(loss).toBeCloseTo(-1.25, 12);
  expect(slopes).toEqual([[-1, -0.25]]);
});

test("a row may widen or narrow its clip range", () => {
  // Ratio 1.5, range 0.2 * 2 = 0.4: -1.4; range 0.2 * 0.5 = 0.1: -1.1.
  const now = [Math.log(1.5), Math.log(1.5)];
  const row = { now, oldLogprobs: [0, 0], advantages: [1, 1], clipScales: [2, 0.5] };
  const { loss } = computeRows(clipped.create(), [row]);
  expect(loss).toBeCloseTo(-1.25, 12);
});

test("inside its wider range a token keeps its gradient", () => {
  // Ratio 1.3: beyond 1.2, within 1.4.
  const row = { now: [Math.log(1.3)], oldLogprobs: [0], advantages: [1] };
  expect(computeRows(clipped.create(), [row]).slopes).toEqual([[0]]);
  expect(computeRows(clipped.create(), [{ ...row, clipScales: [2] }]).slopes[0]![0]).toBeCloseTo(-1.3, 12);
});

publishedObjective("clipped", clipped);
