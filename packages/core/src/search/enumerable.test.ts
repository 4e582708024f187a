/** Worlds small enough to know the best answer: with enough budget every method that has a value finds it. */
import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { createCountdown, readGoal } from "limbeck-worlds/countdown/countdown";
import { createHousehold } from "limbeck-worlds/household/household";
import { expert, withNoise } from "limbeck-worlds/household/demonstrators";
import { createDemonstratorAgent } from "../walk/mind/demonstrator-agent.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createSearch } from "./registry.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import { createTinyAgent } from "../../../../test/support/tiny-search-world.ts";

const OPERATORS = ["+", "-", "*", "/"] as const;

/** Every way to join three numbers. */
function expressions([one = 0, two = 0, three = 0]: readonly number[]): string[] {
  const orders = [
    [one, two, three],
    [one, three, two],
    [two, one, three],
    [two, three, one],
    [three, one, two],
    [three, two, one],
  ];
  return orders.flatMap(([a, b, c]) =>
    OPERATORS.flatMap((first) =>
      OPERATORS.flatMap((second) => [`(${a} ${first} ${b}) ${second} ${c}`, `${a} ${first} (${b} ${second} ${c})`]),
    ),
  );
}

const all = { width: 192, iterations: 200 };
const inOneTurn: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["best-of-n", { n: 192, together: 64 }],
  ["beam", { width: 192 }],
  ["mcts", all],
  ["mcts", { ...all, select: "puct", parallel: 4 }],
  ["agent-q", all],
  ["i-mcts", { width: 192, iterations: 200 }],
  ["mcgs", { ...all, aggregate: 0 }],
  ["bavt", { width: 192 }],
  ["ets", { width: 192 }],
];

test.each(inOneTurn)("%s %o finds the one right expression of countdown", async (name, options) => {
  const env = createCountdown({ level: "easy" });
  const [task] = env.tasks("valid", { count: 1 }) as Iterable<Task>;
  const ways = expressions(readGoal((task as Task).goal)?.numbers ?? []);
  // Asked for the n-th time it says the n-th expression; with advice the number stands before the word.
  const agent = createTinyAgent((_observation, label) => {
    const number = Number(/(\d+)(?: guided)?$/.exec(label)?.[1] ?? 0);
    return `<answer>${ways[number % ways.length]}</answer>`;
  });
  const result = await runSearch({ env, agent, task: task as Task, seed: 1, search: createSearch(name, options) });
  expect(result.success).toBe(true);
});

const inManySteps: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["best-of-n", { n: 32 }],
  ["beam", { beam: 8, width: 4 }],
  ["mcts", { width: 3, iterations: 64 }],
  ["agent-q", { width: 3, iterations: 64 }],
  ["i-mcts", { width: 3, iterations: 64 }],
  ["mcgs", { width: 3, iterations: 64 }],
  ["bavt", { width: 3 }],
  ["ets", { width: 16 }],
];

test.each(inManySteps)(
  "%s %o finishes a tiny errand with a hand that slips every second step",
  async (name, options) => {
    const env = createHousehold({ dial: "tiny" });
    const [task] = env.tasks("valid", { count: 1 }) as Iterable<Task>;
    const agent = createDemonstratorAgent(withNoise(expert, 0.5));
    const search = createSearch(name, options);
    const result = await runSearch({ env, agent, task: task as Task, seed: 2, search });
    expect(result.success).toBe(true);
    // The line it chose really wins when it is played again.
    const world = await env.open(task as Task);
    for (const action of result.actions) await world.step(action);
    expect(world.success).toBe(true);
    await world.close();
  },
);

test("what is left of a budget never goes below nothing, whatever comes back (seeded)", async () => {
  const rng = createRng("left");
  const env = createHousehold({ dial: "tiny" });
  const [task] = env.tasks("valid", { count: 1 }) as Iterable<Task>;
  const agent = createDemonstratorAgent(withNoise(expert, 0.5));
  for (const name of ["mcts", "beam", "bavt", "mcgs"]) {
    const envSteps = rng.int(60);
    const search = createSearch(name);
    const { spent } = await runSearch({ env, agent, task: task as Task, seed: 3, search, budget: { envSteps } });
    expect(spent.envSteps).toBeLessThanOrEqual(envSteps);
  }
});
