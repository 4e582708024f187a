import { expect, test } from "vitest";
import { computeRows, trainRow } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { opidAuxiliary } from "./opid-auxiliary.ts";

const row = { now: [-1], oldLogprobs: [-1.2], teacherLogprobs: [-0.7] };

test("delta mode", () => {
  // delta = -0.7 + 1.2 = 0.5; -0.5 * -1 = 0.5, slope -0.5. Clipped at 0.3: 0.3, slope -0.3.
  const free = computeRows(opidAuxiliary.create(), [row]);
  expect(free.loss).toBeCloseTo(0.5, 12);
  expect(free.slopes[0]?.[0]).toBeCloseTo(-0.5, 12);
  const bounded = computeRows(opidAuxiliary.create({ clip: 0.3 }), [row]);
  expect(bounded.loss).toBeCloseTo(0.3, 12);
  expect(bounded.slopes[0]?.[0]).toBeCloseTo(-0.3, 12);
});

test("importance mode", () => {
  // -0.5 e^0.2 = -0.610701, and the slope is the same. Clipped at 0.3: -0.3 without slope.
  const free = computeRows(opidAuxiliary.create({ mode: "importance" }), [row]);
  expect(free.loss).toBeCloseTo(-0.610701, 6);
  expect(free.slopes[0]?.[0]).toBeCloseTo(-0.610701, 6);
  const bounded = computeRows(opidAuxiliary.create({ mode: "importance", clip: 0.3 }), [row]);
  expect(bounded.loss).toBeCloseTo(-0.3, 12);
  expect(bounded.slopes[0]?.[0]).toBe(0);
});

test("rows without a teacher take no part, not even in the count", () => {
  const { loss, slopes, metrics } = computeRows(opidAuxiliary.create(), [row, { now: [-3], oldLogprobs: [-3] }]);
  expect(loss).toBeCloseTo(0.5, 12);
  expect(slopes[1]).toEqual([0]);
  expect(metrics["trainedTokens"]).toBe(1);
});

test("of a stream in which the teacher read some steps only, the others take no part", () => {
  // The second token was not scored: 0 stands in its place, which is no log-probability of a teacher.
  const half = trainRow({ now: [-1, -3], oldLogprobs: [-1.2, -3], teacherLogprobs: [-0.7, 0] });
  const held = () => ({ logprob: [Float64Array.from([0, -1, -3])] });
  const found = opidAuxiliary.create().compute(held(), held(), [{ ...half, teacherMask: Uint8Array.from([0, 1, 0]) }]);
  expect(found.loss).toBeCloseTo(0.5, 12);
  expect(found.weights.logprob?.[0]?.[2]).toBe(0);
  expect(found.metrics?.["trainedTokens"]).toBe(1);
});

publishedObjective("opid-auxiliary", opidAuxiliary);
