import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { cispo } from "./cispo.ts";

test("the clipped ratio is a constant weight", () => {
  // r = 1.5 is clipped to 1.2; -1.2 * 2 * -0.7 = 1.68; slope -1.2 * 2 = -2.4, although the ratio is clipped.
  const row = { now: [-0.7], oldLogprobs: [-0.7 - Math.log(1.5)], advantages: [2] };
  const { loss, slopes, metrics } = computeRows(cispo.create(), [row]);
  expect(loss).toBeCloseTo(1.68, 12);
  expect(slopes[0]?.[0]).toBeCloseTo(-2.4, 12);
  expect(metrics["clipFraction"]).toBe(1);
});

test("an open lower side leaves small ratios as they are", () => {
  // r = 0.5: clipped to 0.8 by default, 0.5 when the lower clip is 1.
  const row = { now: [Math.log(0.5)], oldLogprobs: [0], advantages: [1] };
  expect(computeRows(cispo.create(), [row]).slopes[0]?.[0]).toBeCloseTo(-0.8, 12);
  expect(computeRows(cispo.create({ clipLow: 1 }), [row]).slopes[0]?.[0]).toBeCloseTo(-0.5, 12);
});

publishedObjective("cispo", cispo);
