import { expect, test } from "vitest";
import { blended, lessonAt } from "./i-mcts.ts";
import { createSearch } from "./index.ts";
import { runSearch, type SearchNode } from "../walk/index.ts";
import { createTinyAgent, createTinyWorld, tinyTask } from "../../test/support/tiny-search-world.ts";

const env = createTinyWorld({ a: 0.2, b: 0.6, c: { a: 1 } });

test("Q goes from the guess to the measure with visits", () => {
  const node = (visits: number): SearchNode => ({ visits, mean: 0.2, estimate: 0.8 }) as SearchNode;
  // w = n / (n + 2): 0, 1/2, 3/4.
  expect(blended(node(0), 2)).toBe(0.8);
  expect(blended(node(2), 2)).toBeCloseTo(0.5, 12);
  expect(blended(node(6), 2)).toBeCloseTo(0.35, 12);
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
});
