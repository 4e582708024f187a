import { expect, test } from "vitest";
import { meaningClusters, semanticEntropy } from "./tree/alike.ts";

test("the same action in other letters, or another way to the same state, means the same", () => {
  const clusters = meaningClusters([
    { action: "go east", stateKey: "room 2" },
    { action: "Go  EAST ", stateKey: "room 9" },
    { action: "walk on", stateKey: "room 2" },
    { action: "go west", stateKey: "room 1" },
  ]);
  expect(clusters).toEqual([0, 0, 0, 1]);
});

test("the entropy of meanings: 0 in agreement, ln k when all differ", () => {
  expect(semanticEntropy([0, 0, 0])).toBe(0);
  expect(semanticEntropy([])).toBe(0);
  expect(semanticEntropy([0, 1])).toBeCloseTo(Math.log(2), 12);
  // 3/4 and 1/4: 0.75 * 0.287682 + 0.25 * 1.386294 = 0.562335
  expect(semanticEntropy([0, 0, 1, 0])).toBeCloseTo(0.562335, 6);
});
