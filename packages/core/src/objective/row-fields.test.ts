import { expect, test } from "vitest";
import { computeRows, trainRow } from "../../../../test/support/objective.ts";
import { clipped } from "./clipped.ts";

const good = { now: [-1], oldLogprobs: [-1], advantages: [1] };

test("a missing field is named with its row and the way out", () => {
  expect(() => computeRows(clipped.create(), [good, { now: [-1], advantages: [1] }])).toThrow(
    "clipped: row 1 has no oldLogprobs. Keep the log-probabilities of the sampler",
  );
  expect(() => computeRows(clipped.create(), [{ now: [-1], oldLogprobs: [0] }])).toThrow("row 0 has no advantages");
});

test("a masked row needs nothing", () => {
  expect(computeRows(clipped.create(), [good, { now: [-1], mask: [0] }]).loss).toBe(-1);
});

test("ragged arrays and numbers that are not finite are named", () => {
  const objective = clipped.create();
  expect(() => computeRows(objective, [{ ...good, advantages: [1, 2] }])).toThrow(
    "row 0 has 3 advantages for 2 tokens",
  );
  expect(() => computeRows(objective, [{ ...good, advantages: [Number.NaN] }])).toThrow(
    "row 0, token 1: advantages is NaN",
  );
  expect(() => computeRows(objective, [{ ...good, weights: [1, 1] }])).toThrow("row 0 has 3 weights for 2 tokens");
  const row = { ...trainRow(good), mask: new Uint8Array(1) };
  const held = { logprob: [new Float64Array(2)] };
  expect(() => objective.compute(held, held, [row])).toThrow("row 0 has 2 tokens and a mask of 1");
  const short = { logprob: [new Float64Array(1)] };
  expect(() => objective.compute(short, short, [trainRow(good)])).toThrow('2 tokens and 1 values of "logprob"');
});
