import { expect, test } from "vitest";
import {
  createTinyAgent,
  createTinyWorld,
  inTurn,
  tinyTask,
  type TinyTree,
} from "../../../../test/support/tiny-search-world.ts";
import { published } from "../../../../test/support/published.ts";
import { nodesBelow } from "../walk/tree/node.ts";
import { runSearch, type SearchResult } from "../walk/tree/run-search.ts";
import type { Value } from "../walk/tree/search.ts";
import { Scores } from "./ab-mcts.ts";
import { createSearch } from "./registry.ts";

const env = createTinyWorld({ a: { a: 0.1, b: 0.2 }, b: { a: 0.9, b: 0.8 } });

async function searched(worth: Readonly<Record<string, number>>, iterations = 40): Promise<SearchResult> {
  const value: Value = { estimate: async (nodes) => nodes.map(({ stateKey }) => worth[stateKey]) };
  const search = createSearch("ab-mcts", { iterations, patience: 3 });
  return await runSearch({ env, agent: createTinyAgent(inTurn(["a", "b"])), task: tinyTask, seed: 1, search, value });
}

test("a small world is grown to its end and then left alone; its best end is chosen", async () => {
  const { root, actions, nodes } = await searched({ a: 0.1, b: 0.9 });
  expect(actions).toEqual(["b", "a"]);
  // Two children, two ends below each; more rounds than that bring nothing new.
  expect(nodes).toBe(6);
  expect(root.children.map(({ children }) => children.length)).toEqual([2, 2]);
  // Every one of the six was backed up once through the root.
  expect(root.visits).toBe(6);
});

/** Five steps deep, two actions each; every end is worth the same. */
function evenTree(worth: number, depth: number): TinyTree {
  const below = depth === 1 ? worth : evenTree(worth, depth - 1);
  return { a: below, b: below };
}

test("compute goes below the child that is worth more, over many seeds", async () => {
  const value: Value = { estimate: async (all) => all.map(({ stateKey }) => (stateKey.startsWith("b") ? 0.9 : 0.1)) };
  const deep = createTinyWorld({ a: evenTree(0.1, 4), b: evenTree(0.9, 4) });
  let [good, bad] = [0, 0];
  for (let seed = 0; seed < 20; seed += 1) {
    const search = createSearch("ab-mcts", { iterations: 24 });
    const agent = createTinyAgent(inTurn(["a", "b"]));
    const { root } = await runSearch({ env: deep, agent, task: tinyTask, seed, search, value });
    for (const child of root.children) {
      const below = nodesBelow(child).length - 1;
      if (child.action === "b") good += below;
      else bad += below;
    }
  }
  expect(good).toBeGreaterThan(2 * bad);
});

/** Numbers of published code: what its default prior, or another, becomes by values that were seen. */
interface Believed {
  readonly distribution: "gaussian" | "beta";
  readonly prior: Readonly<Record<string, number>>;
  readonly values: readonly number[];
  readonly expected: Readonly<Record<string, number>>;
}

test.each(published<Believed>("ab-mcts").cases)("believes what published code does: %j", (known) => {
  const { prior, expected } = known;
  const scores = new Scores({
    distribution: known.distribution,
    priorMean: prior["m"] ?? 0,
    priorVariance: prior["tau_square"] ?? 0.1,
    prior: prior["a"] ?? 0.5,
  });
  for (const value of known.values) scores.add(value);
  const { mean: m, variance: tau_square, kappa, nu } = scores.gaussian;
  const own: Readonly<Record<string, number>> =
    known.distribution === "beta" ? { ...scores.beta } : { m, tau_square, kappa, nu };
  expect(Object.keys(own).toSorted()).toEqual(Object.keys(expected).toSorted());
  for (const [name, value] of Object.entries(expected)) expect(own[name]).toBeCloseTo(value, 5);
});

test("gaussian by default, beta by name; beta takes values from 0 to 1 only", async () => {
  const outside: Value = { estimate: async (nodes) => nodes.map(() => 1.5) };
  const run = (options: Readonly<Record<string, unknown>>) =>
    runSearch({
      env,
      agent: createTinyAgent(inTurn(["a", "b"])),
      task: tinyTask,
      seed: 1,
      search: createSearch("ab-mcts", options),
      value: outside,
    });
  expect((await run({ iterations: 4 })).nodes).toBeGreaterThan(0);
  await expect(run({ distribution: "beta" })).rejects.toThrow("A value of ab-mcts is 1.5");
});

test("it stops at a continuation that succeeded, and keeps the mean of what was backed up", async () => {
  const search = createSearch("ab-mcts", { iterations: 20 });
  const good = createTinyWorld({ a: evenTree(1, 4), b: evenTree(1, 4) });
  const agent = createTinyAgent(inTurn(["a", "b"]));
  const { root, reward } = await runSearch({ env: good, agent, task: tinyTask, seed: 1, search });
  expect([root.children.length, root.visits, root.mean]).toEqual([1, 1, 1]);
  expect(reward).toMatchObject({ value: 1 });
});

test("where nothing ended it acts on the best-valued node, however seldom it was visited", async () => {
  const value: Value = { estimate: async (all) => all.map(({ stateKey }) => (stateKey === "b" ? 0.9 : 0.2)) };
  const deep = createTinyWorld({ a: evenTree(0, 4), b: evenTree(0, 4) });
  for (let seed = 0; seed < 6; seed += 1) {
    const search = createSearch("ab-mcts", { iterations: 6 });
    const agent = createTinyAgent(inTurn(["a", "b"]));
    const { actions } = await runSearch({ env: deep, agent, task: tinyTask, seed, search, value });
    expect(actions).toEqual(["b"]);
  }
});
