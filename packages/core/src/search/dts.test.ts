import { expect, test } from "vitest";
import { drawing, nineEnds } from "../../../../test/support/nine-ends.ts";
import { createTinyAgent, createTinyWorld, tinyTask } from "../../../../test/support/tiny-search-world.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import { createSearch } from "./registry.ts";

test("the soft value of a node is the mean of exp(value) over its children, by their copies", async () => {
  // "a" is said three times and ends with 0, "b" once with 1: by hand, draws follow 3 and exp(2).
  const agent = createTinyAgent((_observation, label) => (label === "3" ? "b" : "a"));
  const world = createTinyWorld({ a: 0, b: 1 });
  let good = 0;
  for (let seed = 0; seed < 300; seed += 1) {
    const search = createSearch("dts", { choose: "sample", sharpness: 2, iterations: 4, widen: 4, growth: 0 });
    const result = await runSearch({ env: world, agent, task: tinyTask, seed, search });
    expect(result.root.children.map(({ copies }) => copies)).toEqual([3, 1]);
    if (result.actions[0] === "b") good += 1;
  }
  // exp(2) / (3 + exp(2)) = 7.389 / 10.389 = 0.711; 300 draws have a deviation of 0.026.
  expect(Math.abs(good / 300 - 0.711)).toBeLessThan(0.09);
});

test("a world without ends, or one that is spent, ends the search", async () => {
  const only = createTinyWorld({ a: 0.4 });
  for (const choose of ["greedy", "sample"]) {
    const search = createSearch("dts", { choose, iterations: 50 });
    const agent = createTinyAgent(() => "a");
    const result = await runSearch({ env: only, agent, task: tinyTask, seed: 1, search });
    expect(result.actions).toEqual(["a"]);
  }
  const poor = await runSearch({
    env: nineEnds,
    agent: drawing(1),
    task: tinyTask,
    seed: 1,
    search: createSearch("dts"),
    budget: { modelCalls: 0 },
  });
  expect(poor.actions).toEqual([]);
});
