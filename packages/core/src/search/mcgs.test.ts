import { expect, test } from "vitest";
import { createSearch } from "./registry.ts";
import { nodesBelow } from "../walk/tree/node.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import { createTinyAgent, createTinyWorld, inTurn, tinyTask } from "../../../../test/support/tiny-search-world.ts";

/** a and b lead to one state, from which b wins. */
const meeting = { a: 0.1, b: 1 };
const env = createTinyWorld(
  { a: meeting, b: meeting, c: { a: 0.3 } },
  { stateOf: (path) => (path === "a" || path === "b" ? "meeting" : path) },
);

test("a state that several lines come to is evaluated once and counted together", async () => {
  const asked: string[] = [];
  const value = {
    estimate: async (nodes: readonly { readonly stateKey: string }[]) => {
      asked.push(...nodes.map(({ stateKey }) => stateKey));
      return nodes.map(() => 0.5);
    },
  };
  const agent = createTinyAgent(inTurn(["a", "b", "c"]));
  const search = createSearch("mcgs", { width: 3, iterations: 3, fuse: null, reuse: false });
  const { root } = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value });
  // Round 1: a, 0.5. Round 2: b is in the same state, so it takes that value. Round 3: c.
  expect(asked).toEqual(["meeting", "c"]);
  expect(root.children.map(({ visits }) => visits)).toEqual([1, 1, 1]);
  expect(root).toMatchObject({ visits: 3, total: 1.5 });
});

test("a way to a good end that one branch found is used by another, without the policy", async () => {
  // At the meeting the policy says "a" when it comes by a and would never find b there; walks from b do.
  const agent = createTinyAgent((observation, label) => {
    if (observation === "at ") return "ba"[Number(label)] ?? "b";
    return label.startsWith("walk") ? "b" : "a";
  });
  const search = createSearch("mcgs", { width: 1, iterations: 4, fuse: null, stop: false, patience: 1 });
  const { root, success } = await runSearch({ env, agent, task: tinyTask, seed: 1, search });
  expect(success).toBe(true);
  const reused = nodesBelow(root).filter(({ info }) => info?.["reused"] === true);
  expect(reused.map(({ stateKey }) => stateKey)).toEqual(["ab"]);
  expect(reused[0]?.step?.usage).toBeUndefined();
});
