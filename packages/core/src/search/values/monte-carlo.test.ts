import { expect, test } from "vitest";
import { createSearch } from "../registry.ts";
import { createValue } from "./index.ts";
import { runSearch } from "../../walk/tree/run-search.ts";
import { createTinyAgent, createTinyWorld, tinyTask } from "../../../../../test/support/tiny-search-world.ts";

const env = createTinyWorld({ a: { a: 0, b: 1 } });
/** The first continuation says a, the second b, the third b. */
const agent = createTinyAgent((observation, label) =>
  observation === "at " ? "a" : ("abb"[Number(label.slice(5))] ?? "a"),
);

test("the mean of three continuations, each a stored branch", async () => {
  const search = createSearch("mcts", { width: 1, iterations: 1 });
  const value = createValue("monte-carlo", { rollouts: 3 });
  const { root, trajectories } = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value });
  const [a] = root.children;
  expect(a?.estimate).toBeCloseTo(2 / 3, 12);
  expect(a?.children).toEqual([]);
  expect(a?.simulations.map(({ action }) => action)).toEqual(["a", "b", "b"]);
  // One line of two steps, and two branches that leave it at step 1.
  expect(trajectories.map(({ parent, steps }) => [parent?.step, steps.length])).toEqual([
    [undefined, 2],
    [1, 1],
    [1, 1],
  ]);
});

test("continuations that did not end are no zeros", async () => {
  const search = createSearch("beam", { width: 1, beam: 1 });
  const value = createValue("monte-carlo", { rollouts: 3 });
  const budget = { modelCalls: 1 };
  const { root } = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value, budget });
  expect(root.children[0]?.estimate).toBeUndefined();
});

test("it refuses a search that must not see outcomes", async () => {
  const search = createSearch("mcts", { width: 1, iterations: 1 });
  const running = runSearch({ env, agent, task: tinyTask, seed: 1, search, seesOutcome: false });
  await expect(running).rejects.toMatchObject({ code: "needs-unmet" });
});
