import { expect, test } from "vitest";
import { createSearch } from "../registry.ts";
import { createValue } from "./index.ts";
import { runSearch } from "../../walk/tree/run-search.ts";
import type { Asker } from "../../walk/tree/asker.ts";
import { createTinyAgent, createTinyWorld, inTurn, tinyTask } from "../../../../../test/support/tiny-search-world.ts";

const env = createTinyWorld({ a: { a: 0.2, b: 0 }, b: { a: 0.6, b: 0 } });
const agent = createTinyAgent(inTurn(["a", "b"]));

test("scores of a text model, averaged over what could be read", async () => {
  const prompts: string[] = [];
  const asker: Asker = async (prompt) => {
    prompts.push(prompt);
    const isFirst = prompts.filter((one) => one === prompt).length === 1;
    if (prompt.includes("> b")) return { text: isFirst ? '{"score": 9}' : "I would rather not say." };
    return { text: isFirst ? "Score: 4" : '{"score": 2}' };
  };
  const search = createSearch("beam", { width: 2, beam: 2 });
  const value = createValue("judge", { samples: 2 });
  const { root } = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value, asker });
  // a: (0.4 + 0.2) / 2; b: 0.9, the other answer says nothing.
  expect(root.children.map(({ estimate }) => Number(estimate?.toFixed(6)))).toEqual([0.3, 0.9]);
  expect(prompts[0]).toContain(JSON.stringify("Find the best end."));
});

test("a judge that fails gives no value, and the search goes on", async () => {
  const search = createSearch("beam", { width: 2, beam: 2 });
  const asker: Asker = () => Promise.reject(new Error("The judge is asleep."));
  const value = createValue("judge");
  const result = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value, asker });
  expect(result.root.children.map(({ estimate }) => estimate)).toEqual([undefined, undefined]);
  expect(result.failed).toBe(2);
  expect(result.actions).toEqual(["b", "a"]);
});
