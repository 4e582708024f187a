import { expect, test } from "vitest";
import type { Scorer } from "limbeck-policy/policy/policy";
import { createCheckGround } from "../../walk/check-ground.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createSearch } from "../registry.ts";
import { createValue } from "./index.ts";
import { lineTo } from "../../walk/tree/node.ts";
import { runSearch } from "../../walk/tree/run-search.ts";
import { joinLine } from "../../walk/tree/pieces.ts";

test("the head is read behind each context, and every reading is paid", async () => {
  const { env, agent } = createCheckGround();
  const read: number[] = [];
  const scorer: Scorer = {
    statistics: ["logprob", "value"],
    score: async (rows) =>
      rows.map(({ ids, mask }) => {
        read.push(ids.length);
        expect(mask?.lastIndexOf(1)).toBe(ids.length - 1);
        return { value: Float32Array.from(ids, (_, at) => (at === ids.length - 1 ? at : -1)) };
      }),
  };
  const [task] = env.tasks("train") as Iterable<Task>;
  const search = createSearch("beam", { width: 2, beam: 1, stop: false });
  const value = createValue("critic", { least: 0, most: 100 });
  const scoring = { ...agent, ref: agent.ref, scorer };
  const result = await runSearch({ env, agent: scoring, task: task as Task, seed: 1, search, value });
  const open = result.root.children.filter(({ ending }) => ending === undefined);
  for (const node of open) {
    const length = joinLine(lineTo(node)).streams.at(-1)?.ids.length ?? 0;
    expect(node.estimate).toBeCloseTo(length / 100, 6);
  }
  expect(read.length).toBeGreaterThan(0);
  expect(result.spent.tokens).toBeGreaterThan(read.reduce((sum, length) => sum + length, 0));
});

test("a critic of the caller's, and a policy without a head", async () => {
  const { env, agent } = createCheckGround();
  const [task] = env.tasks("train") as Iterable<Task>;
  const own = createValue("critic", {}, { critic: async (nodes) => nodes.map(({ depth }) => depth / 4) });
  const search = createSearch("beam", { width: 2, beam: 1 });
  const { root } = await runSearch({ env, agent, task: task as Task, seed: 1, search, value: own });
  expect(root.children[0]?.estimate).toBe(0.25);
  const running = runSearch({ env, agent, task: task as Task, seed: 1, search, value: createValue("critic") });
  await expect(running).rejects.toMatchObject({ code: "needs-unmet" });
});

test("a trained scorer is asked for what each context is worth, and paid in tokens alone", async () => {
  const { env, agent } = createCheckGround();
  const [task] = env.tasks("train") as Iterable<Task>;
  const read: number[] = [];
  const outcomeScorer = {
    scoreSteps: () => Promise.resolve([]),
    scoreTokens: (contexts: readonly Int32Array[]) => {
      read.push(...contexts.map(({ length }) => length));
      return Promise.resolve(contexts.map(({ length }) => length / 100));
    },
  };
  const plan = {
    env,
    agent,
    task: task as Task,
    seed: 1,
    search: createSearch("beam", { width: 2, beam: 1, stop: false }),
  };
  const value = createValue("critic", {}, { outcomeScorer });
  const result = await runSearch({ ...plan, value });
  const open = result.root.children.filter(({ ending }) => ending === undefined);
  expect(open.length).toBeGreaterThan(0);
  for (const node of open) {
    expect(node.estimate).toBeCloseTo((joinLine(lineTo(node)).streams.at(-1)?.ids.length ?? 0) / 100, 12);
  }
  // The same search without it asks the policy as often; what was read is paid.
  const plain = await runSearch({
    ...plan,
    value: { estimate: (nodes) => Promise.resolve(nodes.map(({ estimate }) => estimate)) },
  });
  expect(result.spent.modelCalls).toBeGreaterThan(0);
  expect(result.spent.tokens).toBeGreaterThan(read.reduce((sum, length) => sum + length, 0));
  expect(plain.spent.tokens).toBeLessThan(result.spent.tokens);
  // Without tokens to pay it nothing is read.
  read.length = 0;
  await runSearch({ ...plan, value, budget: { tokens: 1 } });
  expect(read).toEqual([]);
});
