import { expect, test } from "vitest";
import { runSearch } from "./run-search.ts";
import { createSearch } from "../../search/registry.ts";
import type { Value } from "../../search/search.ts";
import { createTinyAgent, createTinyWorld, inTurn, tinyTask } from "../../../../../test/support/tiny-search-world.ts";

const tree = { a: { a: 0.2, b: 0.8 }, b: { a: 0.4, b: 0.6 } };
const agent = createTinyAgent(inTurn(["a", "b"]));
const value: Value = { estimate: async (nodes) => nodes.map(() => 0.5) };
const beam = (): ReturnType<typeof createSearch> => createSearch("beam", { width: 2, beam: 2, stop: false });

test("a world that cannot be copied is replayed, and every replayed step is paid", async () => {
  const env = createTinyWorld(tree, { canFork: false });
  const result = await runSearch({ env, agent, task: tinyTask, seed: 1, search: beam(), value });
  expect(result.actions).toEqual(["a", "b"]);
  expect(result.dropped).toBe(0);
  /*
   * Root: its world takes a; b needs another opening: 2 steps. a: its world takes a, a second one replays "a" and takes b:
   * 1 + 2. b the same: 3. In all 8, where copies take 6.
   */
  expect(result.spent.envSteps).toBe(8);
  const copied = await runSearch({ env: createTinyWorld(tree), agent, task: tinyTask, seed: 1, search: beam(), value });
  expect(copied.spent.envSteps).toBe(6);
});

test("where a replay shows something else the node is dropped and counted", async () => {
  // The world that was opened third shows another text after "a".
  const observationOf = (path: string, opened: number): string =>
    opened >= 3 && path === "a" ? "elsewhere" : `at ${path}`;
  const env = createTinyWorld(tree, { canFork: false, observationOf });
  const result = await runSearch({ env, agent, task: tinyTask, seed: 1, search: beam(), value });
  const [a] = result.root.children;
  expect(a?.dropped).toBe(true);
  // a and what was found below it before the replay.
  expect(result.dropped).toBe(1 + (a?.children.length ?? 0));
  expect(result.trajectories.length).toBeGreaterThan(0);
});

test("a line can be verified before it is trusted", async () => {
  const env = createTinyWorld(tree, {
    observationOf: (path, opened) => (opened > 1 && path === "b" ? "moved" : `at ${path}`),
  });
  const verdicts: boolean[] = [];
  const search = {
    run: async (scope: Parameters<ReturnType<typeof createSearch>["run"]>[0]) => {
      const [a, b] = await scope.expand(scope.root, { count: 2 });
      for (const node of [a, b]) if (node !== undefined) verdicts.push(await scope.verify(node));
      return a;
    },
  };
  const result = await runSearch({ env, agent, task: tinyTask, seed: 1, search });
  expect(verdicts).toEqual([true, false]);
  expect(result.dropped).toBe(1);
  expect(result.spent.envSteps).toBe(4);
});

test("replies and answers that are remembered cost nothing", async () => {
  const meeting = { a: 0.1, b: 1 };
  const env = createTinyWorld({ a: meeting, b: meeting }, { stateOf: (path) => path.replace(/^[ab]/, "m") });
  const options = { env, agent, task: tinyTask, seed: 1, value };
  const search = (): ReturnType<typeof createSearch> => createSearch("mcts", { width: 2, iterations: 4, stop: false });
  const plain = await runSearch({ ...options, search: search() });
  expect(plain.spent).toMatchObject({ modelCalls: 6, envSteps: 6 });
  const remembering = await runSearch({ ...options, search: search(), remember: { answers: true, replies: true } });
  // a and b come to one state at one depth: what was said and what came of it below a holds below b.
  expect(remembering.spent).toMatchObject({ modelCalls: 4, envSteps: 4 });
  expect(remembering.remembered).toBe(4);
  expect(remembering.trajectories.map(({ reward }) => reward)).toEqual(plain.trajectories.map(({ reward }) => reward));
});

test("few worlds and minds are kept, and the tree is the same", async () => {
  const env = createTinyWorld(tree);
  const search = (): ReturnType<typeof createSearch> => createSearch("mcts", { width: 2, iterations: 6, stop: false });
  const options = { env, agent, task: tinyTask, seed: 1, value };
  const [all, few] = await Promise.all([
    runSearch({ ...options, search: search() }),
    runSearch({ ...options, search: search(), keep: { worlds: 1, minds: 1 } }),
  ]);
  expect(few.trajectories.map(({ id, info }) => ({ id, info }))).toEqual(
    all.trajectories.map(({ id, info }) => ({ id, info })),
  );
});
