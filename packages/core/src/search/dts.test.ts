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

test("a node has ceil(widen * visits^growth) answers: one, a second after two visits, a third after five", async () => {
  // Default: 1 and 0.5. Four ways, each said in turn; visits 0 to 6 allow 1, 1, 2, 2, 2, 3, 3 answers.
  const ways = ["a", "b", "c", "d"];
  const agent = createTinyAgent((_observation, label) => ways[Number(label)] ?? "a");
  const world = createTinyWorld({ a: 0.1, b: 0.2, c: 0.3, d: 0.4 });
  const answers = async (iterations: number): Promise<number> => {
    const search = createSearch("dts", { choose: "sample", iterations });
    const { root } = await runSearch({ env: world, agent, task: tinyTask, seed: 1, search });
    return root.children.reduce((sum, { copies }) => sum + copies, 0);
  };
  const asked: number[] = [];
  for (let iterations = 1; iterations <= 7; iterations += 1) asked.push(await answers(iterations));
  // Before the n-th end the root was visited n - 1 times.
  expect(asked).toEqual([1, 1, 2, 2, 2, 3, 3]);
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
