import { expect, test } from "vitest";
import { createSearch } from "./registry.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import { createTinyAgent, createTinyWorld, tinyTask } from "../../../../test/support/tiny-search-world.ts";

const env = createTinyWorld({ a: { a: 0.2 }, b: { a: 0.7 }, c: { a: 1 } });
/** Episode i begins with the i-th letter. */
const agent = createTinyAgent((observation, label) =>
  observation === "at " ? ("abc"[Number(label.slice(5))] ?? "a") : "a",
);

test("the best end of n episodes is chosen", async () => {
  const two = await runSearch({ env, agent, task: tinyTask, seed: 1, search: createSearch("best-of-n", { n: 2 }) });
  expect(two.actions).toEqual(["b", "a"]);
  expect(two.success).toBe(false);
  const three = await runSearch({ env, agent, task: tinyTask, seed: 1, search: createSearch("best-of-n", { n: 3 }) });
  expect(three.actions).toEqual(["c", "a"]);
  // 3 episodes of 2 steps; each call reads 10 tokens and says 1.
  expect(three.spent).toMatchObject({ modelCalls: 6, envSteps: 6, sampledTokens: 6, tokens: 66, usd: 0 });
});

test("rounds end once the goal is reached", async () => {
  const search = createSearch("best-of-n", { n: 64, together: 3 });
  const result = await runSearch({ env, agent, task: tinyTask, seed: 1, search });
  expect(result.trajectories).toHaveLength(3);
});

test("money is counted to the token", async () => {
  // 10 read at 3 dollars and 1 said at 15 dollars a million: 45 millionths a call; 100 pay two calls and no third.
  const prices = { usdPerMillionRead: 3, usdPerMillionSaid: 15 };
  const search = createSearch("best-of-n", { n: 8 });
  const result = await runSearch({ env, agent, task: tinyTask, seed: 1, search, prices, budget: { usd: 0.0001 } });
  expect(result.spent.usd).toBe(0.00009);
  expect(result.spent.modelCalls).toBe(2);
});
