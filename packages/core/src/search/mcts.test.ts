import { expect, test } from "vitest";
import { createSearch } from "./registry.ts";
import { nodesBelow } from "../walk/tree/node.ts";
import { runSearch, type SearchResult } from "../walk/tree/run-search.ts";
import type { Value } from "../walk/tree/search.ts";
import { createTinyAgent, createTinyWorld, inTurn, tinyTask } from "../../../../test/support/tiny-search-world.ts";
import { priorsOf } from "./tree-walk.ts";

const env = createTinyWorld({ a: { a: 0.2, b: 0.8 }, b: { a: 0.4, b: 0.6 } });
const worth: Readonly<Record<string, number>> = { a: 0.3, b: 0.7 };
const value: Value = { estimate: async (nodes) => nodes.map(({ stateKey }) => worth[stateKey]) };

async function searched(options: Readonly<Record<string, unknown>>, says = ["a", "b"]): Promise<SearchResult> {
  const agent = createTinyAgent(inTurn(says));
  const search = createSearch("mcts", { width: says.length, ...options });
  return await runSearch({ env, agent, task: tinyTask, seed: 1, search, value });
}

function statistics({ root }: SearchResult): Record<string, readonly [number, number]> {
  const all = nodesBelow(root).map((node) => [node.stateKey, [node.visits, Number(node.total.toFixed(9))]] as const);
  return Object.fromEntries(all.filter(([, [visits]]) => visits > 0));
}

test("five rounds of UCT, worked out by hand", async () => {
  /*
   * c = 1. 1: the root grows a, b; a comes first: 0.3. 2: b has no visits: 0.7.
   * 3: N = 2. a: 0.3 + sqrt(ln 2) = 1.133; b: 0.7 + 0.833 = 1.533 -> b grows, ba ends with 0.4.
   * 4: N = 3. a: 0.3 + sqrt(ln 3) = 1.348; b: 1.1/2 + sqrt(ln 3 / 2) = 1.291 -> a grows, aa ends with 0.2.
   * 5: N = 4. a: 0.5/2 + sqrt(ln 4 / 2) = 1.083; b: 0.55 + 0.833 = 1.383 -> b; ba is done, bb ends with 0.6.
   */
  const result = await searched({ iterations: 5 });
  expect(statistics(result)).toEqual({
    "": [5, 2.2],
    a: [2, 0.5],
    aa: [1, 0.2],
    b: [3, 1.7],
    ba: [1, 0.4],
    bb: [1, 0.6],
  });
  // ab was carried out when a grew, and its end is known.
  expect(result.actions).toEqual(["a", "b"]);
});

test("PUCT follows how likely an action is", async () => {
  /*
   * a is said three times of four: P = 3/4, 1/4; c = 1.
   * 1: N = 0, both 0, a comes first: 0.3. 2: N = 1. a: 0.3 + 0.75 / 2 = 0.675; b: 0 + 0.25 = 0.25 -> a grows; its
   * children have P = 3/4, 1/4 and no visits: aa: 0 + 0.75 > 0.25, it ends with 0.2.
   * 3: N = 2. a: 0.25 + 0.75 * 1.414 / 3 = 0.604; b: 0.25 * 1.414 = 0.354 -> a; aa is done, ab ends with 0.8.
   */
  const result = await searched({ iterations: 3, select: "puct" }, ["a", "a", "a", "b"]);
  expect(statistics(result)).toEqual({ "": [3, 1.3], a: [3, 1.3], aa: [1, 0.2], ab: [1, 0.8] });
  expect(result.merged).toBe(4);
  expect(priorsOf(result.root.children)).toEqual([0.75, 0.25]);
});

test("two leaves a round, the second as if the first had come to nothing", async () => {
  /*
   * Round 1: only the root. Round 2: b has no visits and is first; with its virtual loss N = 2, b: 0/1 + 0.833, a: 0.3 +
   * 0.833 -> a, which grows, and aa is evaluated beside b.
   */
  const result = await searched({ iterations: 2, parallel: 2 });
  expect(statistics(result)).toEqual({ "": [3, 1.2], a: [2, 0.5], aa: [1, 0.2], b: [1, 0.7] });
});

test("a small world is searched to its end and then left alone", async () => {
  const result = await searched({ iterations: 1_000, patience: 1 });
  expect(result.nodes).toBe(6);
  expect(statistics(result)[""]?.[0]).toBe(6);
  expect(result.actions).toEqual(["a", "b"]);
});

test("without a value of the caller's the policy plays on", async () => {
  const agent = createTinyAgent(inTurn(["a", "b"]));
  const search = createSearch("mcts", { width: 2, iterations: 2 });
  const result = await runSearch({ env, agent, task: tinyTask, seed: 1, search });
  // From a it says a: 0.2. From b: 0.4.
  expect(result.root.children.map(({ total }) => total)).toEqual([0.2, 0.4]);
  expect(result.root.children[0]?.simulations[0]?.step?.action).toBe("a");
  expect(result.trajectories.flatMap(({ steps }) => steps)).toHaveLength(4);
});
