import { expect, test } from "vitest";
import { critiqueScore, readOrder } from "./agent-q.ts";
import { createSearch } from "./registry.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import type { Asker } from "../walk/tree/asker.ts";
import type { Value } from "../walk/tree/search.ts";
import { createTinyAgent, createTinyWorld, inTurn, tinyTask } from "../../../../test/support/tiny-search-world.ts";

const env = createTinyWorld({ a: { a: 0.2, b: 0.8 }, b: { a: 0.4, b: 0.6 } });
const agent = createTinyAgent(inTurn(["a", "b"]));
const worth: Readonly<Record<string, number>> = { a: 0.3, b: 0.4 };
const value: Value = { estimate: async (nodes) => nodes.map(({ stateKey }) => worth[stateKey]) };

test("ranks become scores", () => {
  expect([0, 1, 2, 3].map((rank) => critiqueScore(rank, 4))).toEqual([1, 0.75, 0.5, 0.25]);
  expect(readOrder("Best is 3, then 1; 3 again, 9 not there.", 3)).toEqual([2, 0]);
  expect(readOrder("no idea", 3)).toEqual([]);
});

test("the model's own ranking is half of Q, and orders the first visits", async () => {
  const asked: string[] = [];
  const asker: Asker = async (prompt) => {
    asked.push(prompt);
    return { text: "2, 1", usage: { promptTokens: 5, completionTokens: 3 } };
  };
  const after = async (iterations: number) => {
    const search = createSearch("agent-q", { width: 2, iterations, select: "uct" });
    return (await runSearch({ env, agent, task: tinyTask, seed: 1, search, value, asker })).root.children;
  };
  /*
   * b is ranked first: critique 1 and 1/2. 1: N = 0, no bonus; a 0.25, b 0.5 -> b (0.4).
   * 2: N = 1, ln 1 = 0; a 0.25, b 0.5 * 0.4 + 0.5 = 0.7 -> b grows, and its own b, ranked first, is visited: 0.6.
   * 3: N = 2. a: 0.25 + sqrt(0.693 / 1) = 1.083; b: 0.5 * 0.5 + 0.5 + sqrt(0.693 / 3) = 1.231 -> b, its a: 0.4.
   * 4: N = 3. a: 0.25 + sqrt(1.099 / 1) = 1.298; b: 0.5 * 0.467 + 0.5 + sqrt(1.099 / 4) = 1.257 -> a.
   */
  expect((await after(1)).map(({ visits }) => visits)).toEqual([0, 1]);
  expect((await after(3)).map(({ visits, total }) => [visits, total])).toEqual([
    [0, 0],
    [3, 1.4],
  ]);
  const children = await after(4);
  expect(children.map(({ visits }) => visits)).toEqual([1, 3]);
  expect(children.map(({ info }) => info?.["critique"])).toEqual([0.5, 1]);
  expect(asked[0]).toContain('2: "b"');
});

test("without a text model likelihood and frequency rank", async () => {
  const often = createTinyAgent(inTurn(["a", "b", "b"]));
  const search = createSearch("agent-q", { width: 3, iterations: 1 });
  const { root } = await runSearch({ env, agent: often, task: tinyTask, seed: 1, search, value });
  expect(root.children.map(({ action, info }) => [action, info?.["critique"]])).toEqual([
    ["a", 0.5],
    ["b", 1],
  ]);
});
