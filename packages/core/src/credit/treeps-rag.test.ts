import { expect, test } from "vitest";
import { episodes, forks, rowAdvantages } from "../../../../test/support/credit.ts";
import { treepsRag } from "./treeps-rag.ts";

const third = 0.333333;

test("what each step adds to the share of good endings", () => {
  // Leaves 3 of 9 good: root 1/3. A 2/3, B 0, C 1/3; children of A: 1/3, 1/3, -2/3.
  const found = rowAdvantages(treepsRag, forks({ A: [1, 1, 0], B: [0, 0, 0], C: [1, 0, 0] }));
  expect(found.slice(0, 5)).toEqual([third, third, third, -0.666667, -third]);
  expect(found[8]).toBe(0);
});

test("leaves count, not branches", () => {
  // Leaves 1, 1, 1, 0: root 3/4, A 1, B 0.
  expect(rowAdvantages(treepsRag, forks({ A: [1, 1, 1], B: [0] }))).toEqual([0.25, 0, 0, 0, -0.75, 0]);
});

test("over the siblings' deviation", () => {
  // V 2/3, 0, 1/3: unbiased std 1/3; (1/3) / 0.333334 = 0.999997.
  const found = rowAdvantages(treepsRag, forks({ A: [1, 1, 0], B: [0, 0, 0], C: [1, 0, 0] }), { normByStd: true });
  expect([found[0], found[4], found[8]]).toEqual([0.999997, -0.999997, 0]);
});

test("a single rollout gets 0 everywhere", () => {
  expect(rowAdvantages(treepsRag, episodes({ X: { outcome: 1, steps: [{}, {}] } }))).toEqual([0, 0]);
});
