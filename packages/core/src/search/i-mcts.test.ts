import { expect, test } from "vitest";
import { blendedValue, lessonAt } from "./i-mcts.ts";
import { createRng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { createSearch } from "./registry.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import type { SearchNode } from "../walk/tree/node.ts";
import { createTinyAgent, createTinyWorld, tinyTask } from "../../../../test/support/tiny-search-world.ts";

const env = createTinyWorld({ a: 0.2, b: 0.6, c: { a: 1 } });

test("Q goes from the guess to the measure with visits", () => {
  const node = (visits: number): SearchNode => ({ visits, mean: 0.2, estimate: 0.8 }) as SearchNode;
  // w = n / (n + 2): 0, 1/2, 3/4.
  expect(blendedValue(node(0), 2)).toBe(0.8);
  expect(blendedValue(node(2), 2)).toBeCloseTo(0.5, 12);
  expect(blendedValue(node(6), 2)).toBeCloseTo(0.35, 12);
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
