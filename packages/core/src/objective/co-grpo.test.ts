import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { coGrpo } from "./co-grpo.ts";

const row = { now: [0.1, 0.04, -0.02], oldLogprobs: [0, 0, 0], advantages: [1, 1, 1] };

test("schedule and tokens are one action with one ratio", () => {
  // 0.1 + 0.04 - 0.02 = 0.12; e^0.12 = 1.127497. Each token has the whole slope.
  const { loss, slopes } = computeRows(coGrpo.create(), [row]);
  expect(loss).toBeCloseTo(-1.127497, 6);
  for (const slope of slopes[0]!) expect(slope).toBeCloseTo(-1.127497, 6);
});

test("the schedule may weigh more or less", () => {
  // 0.5 * 0.1 + 0.02 = 0.07; e^0.07 = 1.072508; the schedule's slope is half of that.
  const { loss, slopes } = computeRows(coGrpo.create({ scheduleWeight: 0.5 }), [row]);
  expect(loss).toBeCloseTo(-1.072508, 6);
  expect(slopes[0]![0]).toBeCloseTo(-0.536254, 6);
  expect(slopes[0]![1]).toBeCloseTo(-1.072508, 6);
});

test("the joint action is clipped as one", () => {
  // e^0.3 = 1.35 although no single token is above 1.2.
  const { loss, slopes } = computeRows(coGrpo.create(), [{ ...row, now: [0.1, 0.1, 0.1] }]);
  expect(loss).toBeCloseTo(-1.2, 6);
  expect(slopes[0]!.every((slope) => slope === 0)).toBe(true);
});

test("impossible options are refused", () => {
  expect(() => coGrpo.create({ scheduleTokens: 0.5 })).toThrow(/scheduleTokens of co-grpo is 0.5/);
});
