import { expect, test } from "vitest";
import { sampleStep } from "../../../../../test/support/samples.ts";
import { byNew, documentsOf } from "../tree.ts";

test("first who has found most, then who adds most to what is known; of equals the first", () => {
  const found = [["a"], ["a", "b", "c"], ["b", "c"], ["d"], ["d", "a"]].map((own) => new Set(own));
  // Three of the second; then the fourth and the fifth each add d, the fourth is first; then nobody adds anything.
  expect(byNew(found)).toEqual([1, 3, 0, 2, 4]);
  expect(byNew([])).toEqual([]);
});

test("documents are what the world says it gave", () => {
  const episode = [
    sampleStep(0, { info: { query: "x", passages: ["p1", "p2"] } }),
    sampleStep(1, { info: { answer: "y" } }),
    sampleStep(2, { info: { passages: ["p2", "p3"] } }),
  ];
  expect([...documentsOf({ episode })]).toEqual(["p1", "p2", "p3"]);
});
