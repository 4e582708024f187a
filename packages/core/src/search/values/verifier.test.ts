import { expect, test } from "vitest";
import { createSearch } from "../registry.ts";
import { createValue } from "./index.ts";
import { runSearch } from "../../walk/tree/run-search.ts";
import { createTinyAgent, createTinyWorld, inTurn, tinyTask } from "../../../../../test/support/tiny-search-world.ts";

const env = createTinyWorld({ a: 0.2, b: 0.6, c: 1 });
const agent = createTinyAgent(inTurn(["a", "b", "c"]));

test("a check of the caller's decides where outcomes are hidden", async () => {
  const search = createSearch("beam", { width: 3 });
  const value = createValue("verifier", {}, { verifier: ({ stateKey }) => (stateKey === "b" ? 5 : undefined) });
  const result = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value, seesOutcome: false });
  expect(result.actions).toEqual(["b"]);
  // Values stay within 0 and 1, and what cannot be checked has none.
  expect(result.root.children.map(({ estimate }) => estimate)).toEqual([undefined, 1, undefined]);
});

test("without one the world itself is asked", async () => {
  const search = createSearch("beam", { width: 3 });
  const value = createValue("verifier");
  const { actions } = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value, seesOutcome: false });
  expect(actions).toEqual(["c"]);
});
