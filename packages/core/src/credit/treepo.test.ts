import { expect, test } from "vitest";
import { answers, forks, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { treepo } from "./treepo.ts";

// Depth 0: mean 0.25. Depth 1: a 0.5, b 0. Leaves: x 0.75 and 0.5, y -0.25 and -0.5, z and w -0.25 and 0.
const tree = forks({ a: [1, 0], b: [0, 0] });
const plain = { whiten: false };

test("the average over depths; a shared segment takes the mean of its leaves", () => {
  // a: (0.625 - 0.375) / 2 = 0.125, b: -0.125.
  expect(rowAdvantages(treepo, tree, plain)).toEqual([0.125, 0.625, -0.375, -0.125, -0.125, -0.125]);
});

test("depths weighed by their leaves", () => {
  // x (4 * 0.75 + 2 * 0.5) / 6, y (-1 - 1) / 6, z and w (-1 + 0) / 6.
  const found = rowAdvantages(treepo, tree, { ...plain, weighting: "size" });
  expect([found[1], found[2], found[4], found[5]]).toEqual([0.666667, -0.333333, -0.166667, -0.166667]);
});

test("depths without a difference may be skipped", () => {
  const found = rowAdvantages(treepo, tree, { ...plain, skipEqual: true });
  expect([found[1], found[4]]).toEqual([0.625, -0.25]);
});

test("whole leaves with their paths say the same", () => {
  const paths = [
    ["r", "a", "x"],
    ["r", "a", "y"],
    ["r", "b", "z"],
    ["r", "b", "w"],
  ];
  const leaves = answers(
    [1, 0, 0, 0],
    paths.map((path) => ({ path })),
  );
  expect(rowAdvantages(treepo, leaves, plain)).toEqual([0.625, -0.375, -0.125, -0.125]);
  expect(rowAdvantages(treepo, leaves, { ...plain, weighting: "size" })).toEqual([
    0.666667, -0.333333, -0.166667, -0.166667,
  ]);
  // Mean 0, squares 0.390625 + 0.140625 + 2 * 0.015625 = 0.5625, / 3, std 0.433013: 0.625 / 0.433013 = 1.443376.
  expect(rowAdvantages(treepo, leaves)[0]).toBe(1.443376);
});

test("one leaf: its score, or 0", () => {
  expect(rowAdvantages(treepo, answers([0.7]), plain)).toEqual([0.7]);
  expect(rowAdvantages(treepo, answers([0.7]), { ...plain, singleton: "zero" })).toEqual([0]);
});

publishedCredit("treepo", treepo);
