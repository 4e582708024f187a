import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { value } from "./value.ts";

const one = (now: number, old: number, goal: number, options: Parameters<typeof value.create>[0]) => {
  const row = { now: [now], oldValues: [old], returns: [goal] };
  const { loss, slopes, metrics } = computeRows(value.create(options), [row], "value");
  return { loss, slope: slopes[0]?.[0] as number, metrics };
};

test("the worse of the free and the clipped error", () => {
  // V 0.9, Vold 0.4, c 0.2, R 0.5: free 0.16; clipped to 0.6: 0.01; 0.5 * 0.16 = 0.08, slope 0.4.
  const free = one(0.9, 0.4, 0.5, { clip: 0.2 });
  expect(free.loss).toBeCloseTo(0.08, 12);
  expect(free.slope).toBeCloseTo(0.4, 12);
  // V 0.9, R 1: free 0.01; clipped to 0.6: 0.16. The step was already too long: 0.08 without slope.
  const held = one(0.9, 0.4, 1, { clip: 0.2 });
  expect(held.loss).toBeCloseTo(0.08, 12);
  expect(held.slope).toBe(0);
  expect(held.metrics["valueClipFraction"]).toBe(1);
});

test("without the factor 0.5, as some code bases have it", () => {
  expect(one(0.9, 0.4, 0.5, { clip: 0.2, scale: 1 }).loss).toBeCloseTo(0.16, 12);
});

test("without a clip no old values are needed", () => {
  const { loss } = computeRows(value.create({ clip: null }), [{ now: [0.9], returns: [1] }], "value");
  expect(loss).toBeCloseTo(0.005, 12);
});

publishedObjective("value", value);
