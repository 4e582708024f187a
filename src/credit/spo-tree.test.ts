import { expect, test } from "vitest";
import { assign, episodes, forks, round, rowAdvantages } from "../../test/support/credit.ts";
import { spoTree } from "./spo-tree.ts";

// Values: A 2/3, B 0, C 1/3, root 1/3.
const tree = forks({ A: [1, 1, 0], B: [0, 0, 0], C: [1, 0, 0] });
const third = 0.333333;

test("the change of value along each edge", () => {
  // Branches 2/3 - 1/3, 0 - 1/3, 1/3 - 1/3. Inside A: 1 - 2/3 = 1/3 and -2/3; inside C: 2/3 and -1/3.
  expect(rowAdvantages(spoTree, tree)).toEqual([
    third,
    third,
    third,
    -0.666667,
    -third,
    0,
    0,
    0,
    0,
    0.666667,
    -third,
    -third,
  ]);
});

test("edges without advantage are dropped", () => {
  // B's three leaves and the branch C.
  expect(assign(spoTree, tree).dropped).toEqual([5, 6, 7, 8]);
  expect(assign(spoTree, tree, { dropZero: false }).dropped).toEqual([]);
});

test("grpo: over the siblings' deviation", () => {
  // 2/3, 0, 1/3: population std 0.272166; (1/3) / 0.272166 = 1.224745.
  const found = rowAdvantages(spoTree, tree, { form: "grpo" });
  expect([found[0], found[4], found[8]]).toEqual([1.224745, -1.224745, 0]);
});

test("best of four", () => {
  // BoK: A 1 - (1/3)^4 = 0.987654, B 0, C 1 - (2/3)^4 = 0.802469, root the same as C.
  const { terms } = assign(spoTree, tree, { bestOfWeight: 5 });
  const part = Array.from(terms["bestOf"]!.perRow!, round);
  expect([part[0], part[4], part[8]]).toEqual([0.185185, -0.802469, 0]);
  // 1/3 + 5 * 0.185185 = 1.259259.
  expect(rowAdvantages(spoTree, tree, { bestOfWeight: 5 })[0]).toBe(1.259259);
});

test("an only child adds nothing, and one trajectory has nothing to compare with", () => {
  expect(rowAdvantages(spoTree, episodes({ X: { outcome: 1, steps: [{}, {}] } }))).toEqual([0, 0]);
});
