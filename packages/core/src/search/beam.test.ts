import { expect, test } from "vitest";
import { scoreLine } from "./beam.ts";
import { createSearch } from "./registry.ts";
import { runSearch, type SearchResult } from "../walk/tree/run-search.ts";
import type { SearchNode } from "../walk/tree/node.ts";
import type { Value } from "../walk/tree/search.ts";
import { createTinyAgent, createTinyWorld, inTurn, tinyTask } from "../../../../test/support/tiny-search-world.ts";

const env = createTinyWorld({ a: { a: 0.2, b: 0.8 }, b: { a: 0.4, b: 0.6 } });
const agent = createTinyAgent(inTurn(["a", "b"]));
const worth: Readonly<Record<string, number>> = { a: 0.3, b: 0.7 };
const value: Value = { estimate: async (nodes) => nodes.map(({ stateKey }) => worth[stateKey]) };

async function searched(options: Readonly<Record<string, unknown>>): Promise<SearchResult> {
  const search = createSearch("beam", { width: 2, ...options });
  return await runSearch({ env, agent, task: tinyTask, seed: 1, search, value });
}

test("a beam of one follows the better beginning, a beam of two finds the better end", async () => {
  // b (0.7) before a (0.3); below b the best end is 0.6.
  const one = await searched({ beam: 1 });
  expect(one.actions).toEqual(["b", "b"]);
  expect(one.spent).toMatchObject({ modelCalls: 4, envSteps: 4 });
  const two = await searched({ beam: 2 });
  expect(two.actions).toEqual(["a", "b"]);
  expect(two.spent).toMatchObject({ modelCalls: 6, envSteps: 6 });
});

test("scores of a line", async () => {
  const { chosen } = await searched({ beam: 2 });
  const end = chosen as SearchNode;
  // a is worth 0.3, its end 0.8.
  expect(scoreLine(end, "last")).toBe(0.8);
  expect(scoreLine(end, "mean")).toBeCloseTo(0.55, 12);
  expect(scoreLine(end, "least")).toBe(0.3);
  expect(scoreLine(end, "product")).toBeCloseTo(0.24, 12);
});

test("all actions that the world lists, without a model call", async () => {
  const result = await searched({ beam: 2, candidates: "listed" });
  expect(result.actions).toEqual(["a", "b"]);
  expect(result.spent.modelCalls).toBe(0);
});
