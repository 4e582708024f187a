import { expect, test } from "vitest";
import { drawWeights } from "./bavt.ts";
import { createSearch } from "./registry.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import type { Value } from "../walk/tree/search.ts";
import { createTinyAgent, createTinyWorld, inTurn, tinyTask } from "../../../../test/support/tiny-search-world.ts";

const entropy = (weights: readonly number[]): number =>
  -weights.reduce((sum, weight) => sum + (weight === 0 ? 0 : weight * Math.log(weight)), 0);

test("selection sharpens as the budget shrinks", () => {
  // V = 1/2, 1/4. rho = 1: 2/3, 1/3. rho = 1/2: 1/4 and 1/16: 4/5, 1/5.
  expect(drawWeights([0.5, 0.25], 1)).toEqual([expect.closeTo(2 / 3, 12), expect.closeTo(1 / 3, 12)]);
  expect(drawWeights([0.5, 0.25], 0.5)).toEqual([expect.closeTo(0.8, 12), expect.closeTo(0.2, 12)]);
  expect(drawWeights([0.5, 0.25], 0.001)[0]).toBe(1);
  expect(drawWeights([0, 0], 0.5)).toEqual([0.5, 0.5]);
  const spread = [1, 0.75, 0.5, 0.25, 0.1].map((rho) => entropy(drawWeights([0.9, 0.6, 0.5, 0.2], rho)));
  expect(spread).toEqual(spread.toSorted((left, right) => right - left));
});

const env = createTinyWorld({ a: { a: { a: 0 } }, b: { a: { a: 0.2, b: 1 }, b: { a: 0.5 } } });
const agent = createTinyAgent(inTurn(["a", "b"]));
const worth: Readonly<Record<string, number>> = { "": 0.5, a: 0.1, b: 0.8, ba: 0.9, bb: 0.4 };
const value: Value = { estimate: async (nodes) => nodes.map(({ stateKey }) => worth[stateKey]) };

test("grows where the value is, cuts what falls, and stops at the goal", async () => {
  const search = createSearch("bavt", { width: 2 });
  const result = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value, budget: { modelCalls: 40 } });
  /*
   * The root (unvalued, so worth its signs: 0) grows a, b; the fall from 0 to 0.1 cuts nothing, so that a stays open with
   * 0.1 beside b with 0.8. From b come ba (0.9) and bb (0.4): 0.8 - 0.4 = 0.4 > prune = 0.3 cuts bb off.
   */
  expect(result.actions).toEqual(["b", "a", "b"]);
  expect(result.success).toBe(true);
  const bb = result.root.children[1]?.children[1];
  expect([bb?.stateKey, bb?.children.length, bb?.info]).toEqual(["bb", 0, { pruned: true }]);
  // What it grew says which share of the budget was left when it was drawn: 2 of 40 calls were spent before b.
  expect(result.root.children.map(({ info }) => info)).toEqual([undefined, { rho: 0.95 }]);
});

test("the rest of the budget finishes an episode", async () => {
  // 8 calls: 2 at the root leave 3/4, 2 more 1/2, 2 more 1/4 < finish: the last 2 play the best line out.
  const search = createSearch("bavt", { width: 2, finish: 0.3 });
  const deep = createTinyWorld({ a: { a: { a: { a: { a: 0 } } } }, b: { a: { a: { a: { a: 0.7 } } } } });
  const flat: Value = { estimate: async (nodes) => nodes.map(({ stateKey }) => (stateKey.startsWith("b") ? 0.9 : 0)) };
  const walker = createTinyAgent((observation, label) => (observation === "at " && label === "1" ? "b" : "a"));
  const result = await runSearch({
    env: deep,
    agent: walker,
    task: tinyTask,
    seed: 1,
    search,
    value: flat,
    budget: { modelCalls: 8 },
  });
  expect(result.spent.modelCalls).toBeLessThanOrEqual(8);
  expect(result.chosen?.ending).toBe("terminated");
  expect(result.reward).toEqual({ kind: "scored", value: 0.7 });
});
