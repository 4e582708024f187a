import fc from "fast-check";
import { expect, test } from "vitest";
import { createSearch } from "./registry.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import type { Value } from "../walk/tree/search.ts";
import { keepLeaves, type LeafToKeep } from "./ets.ts";
import { createTinyAgent, createTinyWorld, inTurn, tinyTask } from "../../../../test/support/tiny-search-world.ts";

test("five leaves, worked out by hand", () => {
  /*
   * Nodes r, x, y and five leaves: 8. Meanings 0, 1, 2. shared = diverse = 1.
   * x1 and x2 (0.4, 0.3, meanings 0 and 1) cost r, x, x1, x2: 0.7 - 4/8 + 2/3 = 0.867.
   * With y1 (0.2, meaning 2): 0.9 - 6/8 + 1 = 1.15. x3 (0.06, meaning 0) would cost 1/8 for 0.06; so would y2.
   */
  const leaf = (weight: number, meaning: number, ...line: string[]): LeafToKeep => ({ weight, meaning, line });
  const leaves = [
    leaf(0.4, 0, "r", "x", "x1"),
    leaf(0.3, 1, "r", "x", "x2"),
    leaf(0.06, 0, "r", "x", "x3"),
    leaf(0.2, 2, "r", "y", "y1"),
    leaf(0.04, 2, "r", "y", "y2"),
  ];
  const kept = keepLeaves(leaves, { shared: 1, diverse: 1 });
  expect(kept.leaves).toEqual([0, 1, 3]);
  expect(kept.score).toBeCloseTo(1.15, 12);
  expect(kept.bound).toBe(kept.score);
  // Without a price for nodes everything stays; without diversity y is not worth its two nodes.
  expect(keepLeaves(leaves, { shared: 0, diverse: 1 }).leaves).toEqual([0, 1, 2, 3, 4]);
  expect(keepLeaves(leaves, { shared: 1, diverse: 0 }).leaves).toEqual([0, 1]);
});

test("fewer nodes than as many leaves by their weight, and more meanings", () => {
  // Nodes r, x, y, z and four leaves: 8. The two heaviest lie apart and mean the same.
  const leaf = (weight: number, meaning: number, ...line: string[]): LeafToKeep => ({ weight, meaning, line });
  const leaves = [
    leaf(0.3, 0, "r", "x", "x1"),
    leaf(0.28, 0, "r", "y", "y1"),
    leaf(0.27, 1, "r", "z", "z1"),
    leaf(0.15, 1, "r", "x", "x2"),
  ];
  const held = (chosen: readonly number[]) => {
    const some = chosen.map((at) => leaves[at] as LeafToKeep);
    return [new Set(some.flatMap(({ line }) => line)).size, new Set(some.map(({ meaning }) => meaning)).size];
  };
  // x1 and x2: 0.45 - 2 * 4/8 + 1 = 0.45; x1 and z1: 0.57 - 2 * 5/8 + 1 = 0.32.
  const { leaves: kept } = keepLeaves(leaves, { shared: 2, diverse: 1 });
  expect(kept).toEqual([0, 3]);
  expect([held(kept), held([0, 1])]).toEqual([
    [4, 2],
    [5, 1],
  ]);
  // Without the price for nodes there is nothing to save: all stay.
  expect(keepLeaves(leaves, { shared: 0, diverse: 1 }).leaves).toEqual([0, 1, 2, 3]);
});

const leafTo = fc.record(
  {
    weight: fc.integer({ min: 0, max: 100 }).map((share) => share / 100),
    meaning: fc.nat(3),
    line: fc.tuple(fc.nat(2), fc.nat(3)).map(([branch, twig]) => ["r", `b${branch}`, `b${branch}t${twig}`]),
  },
  { noNullPrototype: true },
);
const price = fc.constantFrom(0, 0.5, 1, 2);

function scoreOf(leaves: readonly LeafToKeep[], chosen: readonly number[], shared: number, diverse: number): number {
  const kept = chosen.map((at) => leaves[at] as LeafToKeep);
  const nodes = (some: readonly LeafToKeep[]): number => new Set(some.flatMap(({ line }) => line)).size;
  const meanings = (some: readonly LeafToKeep[]): number => new Set(some.map(({ meaning }) => meaning)).size;
  return (
    kept.reduce((sum, { weight }) => sum + weight, 0) -
    (shared * nodes(kept)) / nodes(leaves) +
    (diverse * meanings(kept)) / meanings(leaves)
  );
}

test("branch and bound finds what enumeration finds", () => {
  fc.assert(
    fc.property(fc.array(leafTo, { minLength: 1, maxLength: 8 }), price, price, (leaves, shared, diverse) => {
      const all = Array.from({ length: 2 ** leaves.length - 1 }, (_, bits) =>
        [...leaves.keys()].filter((at) => ((bits + 1) & (1 << at)) !== 0),
      );
      const best = Math.max(...all.map((chosen) => scoreOf(leaves, chosen, shared, diverse)));
      const kept = keepLeaves(leaves, { shared, diverse });
      expect(kept.score).toBeCloseTo(best, 9);
      expect(scoreOf(leaves, kept.leaves, shared, diverse)).toBeCloseTo(best, 9);
      // Cut short it says how much it may have missed.
      const hasty = keepLeaves(leaves, { shared, diverse, mostTries: 2 });
      expect(hasty.bound).toBeGreaterThanOrEqual(best - 1e-9);
    }),
  );
});

test("answers go to the kept leaves by their worth, and the best end is chosen", async () => {
  const env = createTinyWorld({ a: { a: 0.2, b: 0.8 }, b: { a: 0.4, b: 0.6 } });
  const worth: Readonly<Record<string, number>> = { a: 0.5, b: 0.5 };
  const value: Value = { estimate: async (nodes) => nodes.map(({ stateKey }) => worth[stateKey]) };
  const agent = createTinyAgent(inTurn(["a", "b"]));
  const search = createSearch("ets", { width: 4 });
  const result = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value });
  // Round 1: four answers at the root, two meanings. Round 2: two from each.
  expect(result.spent.modelCalls).toBe(8);
  expect(result.actions).toEqual(["a", "b"]);
});

test("a leaf that does not go on says so where its branch is stored", async () => {
  // b is worth nothing beside a: exp(0) against exp(1 / 0.2), and with diverse = 0 its meaning counts for nothing.
  const env = createTinyWorld({ a: { a: 0.2, b: 0.8 }, b: { a: 0.4, b: 0.6 } });
  const value: Value = { estimate: async (nodes) => nodes.map(({ stateKey }) => (stateKey === "b" ? 0 : 1)) };
  const agent = createTinyAgent(inTurn(["a", "b"]));
  const search = createSearch("ets", { width: 4, diverse: 0 });
  const { root, trajectories } = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value });
  expect(root.children.map(({ action, info, children }) => [action, info?.["pruned"], children.length])).toEqual([
    ["a", undefined, 2],
    ["b", true, 0],
  ]);
  expect(trajectories.filter(({ info }) => JSON.stringify(info).includes('"pruned":true'))).toHaveLength(1);
});
