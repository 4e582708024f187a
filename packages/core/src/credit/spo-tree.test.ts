import { expect, test } from "vitest";
import {
  advantages,
  answers,
  assign,
  episodes,
  forks,
  plainSteps,
  round,
  rowAdvantages,
} from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
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
  const part = terms["bestOf"]!.perToken!.map(([first]) => round(first!));
  expect([part[0], part[4], part[8]]).toEqual([0.185185, -0.802469, 0]);
  // 1/3 + 5 * 0.185185 = 1.259259.
  expect(rowAdvantages(spoTree, tree, { bestOfWeight: 5 })[0]).toBe(1.259259);
});

test("an only child adds nothing, and one trajectory has nothing to compare with", () => {
  expect(rowAdvantages(spoTree, episodes({ X: { outcome: 1, steps: [{}, {}] } }))).toEqual([0, 0]);
});

test("all steps between two branchings are one segment", () => {
  const branch = { trajectory: "X", step: 2 };
  const batch = episodes({
    X: { outcome: 1, steps: plainSteps(4) },
    Y: { outcome: 0, steps: [2, 3].map((step) => ({ step, parent: branch })) },
    Z: { outcome: 0, steps: plainSteps(2) },
  });
  // Behind X's second step X and Y part: 0.5 there; the root 0.25. X: 0.25, 0.25, then 0.5, 0.5.
  expect(rowAdvantages(spoTree, batch)).toEqual([0.25, 0.25, 0.5, 0.5, -0.5, -0.5, -0.25, -0.25]);
  // As an edge a row earns nothing where nobody branches from the one before.
  const rows = rowAdvantages(spoTree, batch, { segment: "row" });
  expect(rows).toEqual([0.25, 0, 0.5, 0, -0.5, 0, -0.25, 0]);
});

/** One answer of six tokens; another leaves it behind the second, a third behind the fourth. */
const insideAnswer = (fields: object = {}) =>
  answers(
    [1, 0, 0],
    [
      { mask: [1, 1, 1, 1, 1, 1], ...fields },
      { mask: [1, 1, 1, 1], parent: { trajectory: "r0", step: 0, token: 2 }, signals: { skippedTokens: 2 } },
      { mask: [1, 1], parent: { trajectory: "r0", step: 0, token: 4 }, signals: { skippedTokens: 4 } },
    ],
  );

test("a segment may be a count of tokens inside an answer", () => {
  // Behind token 4: 1 and 0, 0.5. Behind token 2: 0.5 and 0, 0.25, which is the root's too: all share the first two.
  expect(advantages(spoTree, insideAnswer())).toEqual([
    [0, 0, 0.25, 0.25, 0.5, 0.5],
    [-0.25, -0.25, -0.25, -0.25],
    [-0.5, -0.5],
  ]);
});

test("sure tokens get nothing", () => {
  const old = [0.5, 0.5, 0.95, 0.5, 0.99, 0.5].map(Math.log);
  expect(advantages(spoTree, insideAnswer({ logprobs: { old } }))[0]).toEqual([0, 0, 0, 0.25, 0, 0.5]);
  expect(assign(spoTree, insideAnswer({ logprobs: { old } })).metrics["maskedTokens"]).toBe(2);
  const all = advantages(spoTree, insideAnswer({ logprobs: { old } }), { maskAbove: null });
  expect(all[0]).toEqual([0, 0, 0.25, 0.25, 0.5, 0.5]);
});

publishedCredit("spo-tree", spoTree);
