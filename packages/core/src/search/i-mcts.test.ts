import { expect, test } from "vitest";
import { blendedValue, countedVisits, lessonAt } from "./i-mcts.ts";
import { createRng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { createSearch } from "./registry.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import { nodesBelow, type SearchNode } from "../walk/tree/node.ts";
import type { Value } from "../walk/tree/search.ts";
import { published } from "../../../../test/support/published.ts";
import {
  createTinyAgent,
  createTinyWorld,
  tinyTask,
  type TinyTree,
} from "../../../../test/support/tiny-search-world.ts";
import { selectionScore } from "./tree-walk.ts";

const env = createTinyWorld({ a: 0.2, b: 0.6, c: { a: 1 } });

test("Q goes from the guess to the measure with visits", () => {
  const node = (visits: number): SearchNode => ({ visits, mean: 0.2, estimate: 0.8 }) as SearchNode;
  // w = n / (n + 2): 0, 1/2, 3/4.
  expect(blendedValue(node(0), 2)).toBe(0.8);
  expect(blendedValue(node(2), 2)).toBeCloseTo(0.5, 12);
  expect(blendedValue(node(6), 2)).toBeCloseTo(0.35, 12);
});

test("the measure weighs 0.83, 0.91 and 0.96 after one, two and five visits", () => {
  // w = n / (n + 0.2), the default.
  const weight = (visits: number): number => blendedValue({ visits, mean: 1, estimate: 0 } as SearchNode, 0.2);
  expect([1, 2, 5].map((visits) => Number(weight(visits).toFixed(2)))).toEqual([0.83, 0.91, 0.96]);
});

/** Numbers of published code: children of several nodes, what the rule says of each, and which is chosen. */
interface Chosen {
  readonly c: number;
  readonly blend: number;
  readonly children: readonly {
    readonly parent: number;
    readonly visits: number;
    readonly total: number;
    readonly guess: number;
  }[];
  readonly scores: readonly number[];
  readonly best: number;
}

test.each(published<Chosen>("i-mcts").cases)("scores all children of a tree as published code does: %j", (known) => {
  const { c, blend, children, scores, best } = known;
  const own = children.map(({ parent, visits, total, guess }) =>
    selectionScore({ visits, mean: visits === 0 ? guess : total / visits, estimate: guess } as SearchNode, {
      select: "uct",
      exploration: c,
      quality: (child) => blendedValue(child, blend),
      parentVisits: parent,
      visits: (node) => countedVisits(node, blend),
      prior: 0,
    }),
  );
  expect(own.length).toBe(scores.length);
  for (const [at, score] of scores.entries()) expect(own[at]).toBeCloseTo(score, 5);
  expect(own.indexOf(Math.max(...own))).toBe(best);
});

test("over the tree a good child is gone on with although its parent is bad; over lines its parent waits", async () => {
  // "a" and all of "aa" are worth nothing, all of "ab" much; "b" is fair everywhere.
  const worth = (path: string): number => (path.startsWith("b") ? 0.5 : path.startsWith("ab") ? 0.9 : 0);
  const build = (depth: number): TinyTree =>
    depth === 0 ? { a: 0, b: 0 } : { a: build(depth - 1), b: build(depth - 1) };
  const value: Value = { estimate: async (nodes) => nodes.map(({ stateKey }) => worth(stateKey)) };
  const below = async (over: string): Promise<number> => {
    const search = createSearch("i-mcts", { width: 2, iterations: 40, exploration: 0.5, over });
    const agent = createTinyAgent((_observation, _label, guidance) => (guidance === undefined ? "a" : "b"));
    const world = createTinyWorld({ a: build(5), b: build(5) });
    const { root } = await runSearch({ env: world, agent, task: tinyTask, seed: 1, search, value });
    return nodesBelow(root).filter(({ visits, stateKey }) => visits > 0 && stateKey.startsWith("ab")).length;
  };
  // 40 rounds; one visit is for "a", one for "b" and "aa" each at least.
  expect(await below("tree")).toBeGreaterThan(30);
  expect(await below("line")).toBeLessThan(10);
});

test("each further child is told what its siblings were worth", async () => {
  const told: (string | undefined)[] = [];
  const agent = createTinyAgent((_observation, _label, guidance) => {
    told.push(guidance);
    if (guidance === undefined) return "a";
    return guidance.includes("b (worth") ? "c" : "b";
  });
  const search = createSearch("i-mcts", { width: 3, iterations: 8 });
  const { root, actions, success } = await runSearch({ env, agent, task: tinyTask, seed: 1, search });
  expect(root.children.map(({ action }) => action)).toEqual(["a", "b", "c"]);
  expect(told.slice(0, 3)).toEqual([
    undefined,
    "Tried here: a (worth 0.20). Do something else that is better.",
    "Tried here: a (worth 0.20); b (worth 0.60). Do something else that is better.",
  ]);
  expect(actions).toEqual(["c", "a"]);
  expect(success).toBe(true);
  expect(lessonAt(root)).toContain("c");
  expect(root.children.map(({ info }) => info?.["told"])).toEqual([undefined, 1, 2]);
});

test("without introspection no child is told anything", async () => {
  const told: (string | undefined)[] = [];
  const agent = createTinyAgent((_observation, label, guidance) => {
    told.push(guidance);
    return createRng(label).float() < 0.5 ? "a" : "b";
  });
  const search = createSearch("i-mcts", { width: 3, iterations: 8, introspect: false });
  const { root } = await runSearch({ env, agent, task: tinyTask, seed: 1, search });
  expect(told.length).toBeGreaterThan(0);
  expect(new Set(told)).toEqual(new Set([undefined]));
  expect(nodesBelow(root).filter(({ info }) => info?.["told"] !== undefined)).toEqual([]);
});

test("looking at what was tried reaches the target in fewer evaluations than drawing anew", async () => {
  /*
   * Nine learning rates, the ninth is right; a score falls by 0.1 a place. Told what was tried, the agent goes one up from the
   * best. Untold it draws r(1 + floor(9 u^2)), the ninth in 1 - sqrt(8/9) = 5.7% of the cases, so that it takes 17 draws.
   */
  const scores = Array.from({ length: 9 }, (_, at) => (at === 8 ? 1 : 0.1 * (at + 1)));
  const world = createTinyWorld(Object.fromEntries(scores.map((score, at) => [`r${at + 1}`, score])));
  const evaluations = async (method: string, seed: number): Promise<number> => {
    const agent = createTinyAgent((_observation, label, guidance) => {
      if (guidance === undefined) return `r${1 + Math.floor(9 * createRng(`${seed} ${label}`).float() ** 2)}`;
      const tried = [...guidance.matchAll(/r(\d) \(worth/g)].map(([, rate]) => Number(rate));
      return `r${Math.min(9, Math.max(...tried) + 1)}`;
    });
    const search = createSearch(method, { width: 10, iterations: 40 });
    const { success, spent } = await runSearch({
      env: world,
      agent,
      task: tinyTask,
      seed,
      search,
      budget: { modelCalls: 40 },
    });
    return success === true ? spent.modelCalls : 40;
  };
  const seeds = Array.from({ length: 20 }, (_, seed) => seed);
  const introspective = await Promise.all(seeds.map((seed) => evaluations("i-mcts", seed)));
  const plain = await Promise.all(seeds.map((seed) => evaluations("mcts", seed)));
  // Children come ten to a node, so that the tenth is paid for although the ninth was right at the latest.
  expect(Math.max(...introspective)).toBeLessThanOrEqual(10);
  expect(mean(plain)).toBeGreaterThan(1.5 * mean(introspective));
});
