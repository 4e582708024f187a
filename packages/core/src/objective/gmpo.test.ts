import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { gmpo } from "./gmpo.ts";

test("clips the side the advantage pushes to, in log space", () => {
  // A = 1, d = 0.5, -0.1: k = 0.4, -0.1; mean 0.15; -e^0.15 = -1.161834. The first token is clipped.
  const up = computeRows(gmpo.create(), [{ now: [0.5, -0.1], oldLogprobs: [0, 0], advantages: [1, 1] }]);
  expect(up.loss).toBeCloseTo(-1.161834, 6);
  expect(up.slopes[0]?.[0]).toBeCloseTo(0, 12);
  expect(up.slopes[0]?.[1]).toBeCloseTo(-1.161834 / 2, 6);
  // A = -1, d = -0.5, 0.6: k = -0.4, 0.6; mean 0.1; e^0.1 = 1.105171.
  const down = computeRows(gmpo.create(), [{ now: [-0.5, 0.6], oldLogprobs: [0, 0], advantages: [-1, -1] }]);
  expect(down.loss).toBeCloseTo(1.105171, 6);
  expect(down.slopes[0]?.[0]).toBeCloseTo(0, 12);
  expect(down.slopes[0]?.[1]).toBeCloseTo(1.105171 / 2, 6);
});

test("averages over rows that have tokens", () => {
  // Ratios 1: losses -2 and 1 and an empty row; (-2 + 1) / 2.
  const rows = [
    { now: [0], oldLogprobs: [0], advantages: [2] },
    { now: [0, 0, 0], oldLogprobs: [0, 0, 0], advantages: [-1, -1, -1] },
    { now: [0], oldLogprobs: [0], advantages: [7], mask: [0] },
  ];
  expect(computeRows(gmpo.create(), rows).loss).toBeCloseTo(-0.5, 6);
});

test("weights of single tokens have no meaning and are refused", () => {
  const rows = [
    { now: [0], oldLogprobs: [0], advantages: [1] },
    { now: [0], oldLogprobs: [0], advantages: [1], weights: [2] },
  ];
  expect(() => computeRows(gmpo.create(), rows)).toThrow("leave out the weights of row 1");
});

publishedObjective("gmpo", gmpo);
