import { expect, test } from "vitest";
import { advantages, answers, assign, episodes } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { rose } from "./rose.ts";

const mask = (length: number) => Array.from({ length }, () => 1);
const leaves = (token: number, trajectory = "r0") => ({ parent: { trajectory, step: 0, token } });

test("tells how long correct responses are, each from its beginning", () => {
  // Of the two that are right, one has 3 tokens; the other left it after 2 and has 5 in all. The wrong one has 9.
  const batch = answers([1, 1, 0], [{ mask: mask(3) }, { mask: mask(5), ...leaves(2) }, { mask: mask(9) }]);
  expect(assign(rose, batch).metrics["correctTokens"]).toBe(4);
  const none = answers([0, 0], [{ mask: mask(3) }, { mask: mask(5) }]);
  expect(assign(rose, none).metrics).not.toHaveProperty("correctTokens");
});

test("segments between branch points", () => {
  // V(start) 1/3. The second leaves the first after 4 tokens: V(4) = (1 + 0) / 2.
  // First: 1/2 - 1/3 = 1/6, then 1 - 1/2. Second: 1/6, then -1/2. Third: 0 - 1/3.
  const found = advantages(
    rose,
    answers([1, 0, 0], [{ mask: mask(5) }, { mask: mask(6), ...leaves(4) }, { mask: mask(2) }]),
  );
  const sixth = 0.166667;
  expect(found).toEqual([
    [sixth, sixth, sixth, sixth, 0.5],
    [sixth, sixth, sixth, sixth, -0.5, -0.5],
    [-0.333333, -0.333333],
  ]);
});

test("equal positions of different paths are different points, unless keyed as published", () => {
  // Two pairs, each branching after 1 token: V by path 1 and 0, by position (1 + 1 + 0 + 0) / 4 = 1/2. V(start) 1/2.
  const pairs = answers(
    [1, 1, 0, 0],
    [{ mask: mask(2) }, { mask: mask(2), ...leaves(1) }, { mask: mask(2) }, { mask: mask(2), ...leaves(1, "r2") }],
  );
  expect(advantages(rose, pairs)).toEqual([
    [0.5, 0],
    [0.5, 0],
    [-0.5, 0],
    [-0.5, 0],
  ]);
  expect(advantages(rose, pairs, { key: "position" })).toEqual([
    [0, 0.5],
    [0, 0.5],
    [0, -0.5],
    [0, -0.5],
  ]);
});

test("who left earlier does not pass later points", () => {
  // r1 leaves at 1, r2 at 2: V(1) over all three 1/3 (as V(start)), V(2) over r0 and r2 1/2.
  const found = advantages(
    rose,
    answers([1, 0, 0], [{ mask: mask(3) }, { mask: mask(3), ...leaves(1) }, { mask: mask(3), ...leaves(2) }]),
  );
  expect(found).toEqual([
    [0, 0.166667, 0.5],
    [0, -0.333333, -0.333333],
    [0, 0.166667, -0.5],
  ]);
});

test("branches may leave at steps", () => {
  const batch = episodes({
    X: { outcome: 1, steps: [{}, {}] },
    Y: { outcome: 0, steps: [{ step: 1, parent: { trajectory: "X", step: 1 } }] },
  });
  // V(start) 1/2 = V(step 1): the shared step earns 0, the ends 1/2 and -1/2.
  expect(advantages(rose, batch)).toEqual([[0], [0.5], [-0.5]]);
});

test("one response is its own baseline", () => {
  expect(advantages(rose, answers([1]))).toEqual([[0]]);
});

test("a branch of a branch from the very place where that one began is a branch of the first", () => {
  // All three part after token 1: V(1) is the mean of all, 1/3, as V(start).
  const found = advantages(
    rose,
    answers([1, 0, 0], [{ mask: mask(2) }, { mask: mask(2), ...leaves(1) }, { mask: mask(2), ...leaves(1, "r1") }]),
  );
  expect(found).toEqual([
    [0, 0.666667],
    [0, -0.333333],
    [0, -0.333333],
  ]);
});

test("a branch that holds only its own tokens begins where it left", () => {
  // As in the first test, but the second row has only the two tokens behind the branch point.
  const own = { mask: mask(2), ...leaves(4), signals: { skippedTokens: 4 } };
  const found = advantages(rose, answers([1, 0, 0], [{ mask: mask(5) }, own, { mask: mask(2) }]));
  expect(found[1]).toEqual([-0.5, -0.5]);
});

test("length penalty: off as in the published script, or on among correct responses", () => {
  // r0 and r1 are right and part after 2 tokens; a third, wrong one leaves r1 after 3. V(start) 2/3.
  const batch = answers(
    [1, 1, 0],
    [{ mask: mask(3) }, { mask: mask(4), ...leaves(2) }, { mask: mask(4), ...leaves(3, "r1") }],
  );
  // Through point 2 pass all three: V(2) = 2/3. Through point 3: r1 and r2: 1/2.
  expect(advantages(rose, batch)).toEqual([
    [0, 0, 0.333333],
    [0, 0, -0.166667, 0.5],
    [0, 0, -0.166667, -0.5],
  ]);
  // r1 has 2 tokens behind the point, r0 has 1: A - |A| * (1 - 1/2).
  expect(advantages(rose, batch, { lengthPenalty: 1 })).toEqual([
    [0, 0, 0.333333],
    [0, 0, -0.25, 0.25],
    [0, 0, -0.166667, -0.5],
  ]);
  // The square root of a half: 0.5 * 0.707107.
  expect(advantages(rose, batch, { lengthPenalty: 0.5 })[1]?.at(-1)).toBe(0.353553);
});

test("keyed by position, responses part at the last position they share, whatever their paths", () => {
  // Two right answers of 2 and 4 tokens, each left after 1 by a wrong one. V(start) = 1/2; V(1) by position 1/2, by path 1/2.
  const batch = answers(
    [1, 1, 0, 0],
    [{ mask: mask(2) }, { mask: mask(4) }, { mask: mask(2), ...leaves(1) }, { mask: mask(2), ...leaves(1, "r1") }],
  );
  // By path they part at the start, with 2 and 4 tokens left: half. By position after 1, with 1 and 3: a third.
  const second = (key: string) => advantages(rose, batch, { key, lengthPenalty: 1 })[1];
  expect(second("path")).toEqual([0, 0.25, 0.25, 0.25]);
  expect(second("position")).toEqual([0, 0.166667, 0.166667, 0.166667]);
});

publishedCredit("rose", rose);
