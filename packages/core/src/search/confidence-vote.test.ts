import { expect, test } from "vitest";
import { createCheckGround } from "../walk/check-ground.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createSearch } from "./registry.ts";
import { lineTo, nodesBelow, type SearchNode } from "../walk/tree/node.ts";
import { runSearch } from "../walk/tree/run-search.ts";

test("votes weigh exp(mean log p) of what each voice said", async () => {
  const { env, agent } = createCheckGround();
  const [task] = env.tasks("train") as Iterable<Task>;
  const search = createSearch("confidence-vote", { n: 6 });
  const { root, chosen } = await runSearch({ env, agent, task: task as Task, seed: 3, search });
  const ends = nodesBelow(root).filter(({ ending }) => ending !== undefined);
  expect(ends).toHaveLength(6);
  const weights = new Map<string, number>();
  for (const end of ends) {
    const said = lineTo(end).slice(1);
    const mean =
      said.reduce((sum, { logprob = 0 }) => sum + logprob, 0) / said.reduce((sum, node) => sum + node.said, 0);
    weights.set(end.action ?? "", (weights.get(end.action ?? "") ?? 0) + Math.exp(mean));
  }
  const [most] = [...weights].toSorted((left, right) => right[1] - left[1]);
  expect(chosen?.action).toBe(most?.[0]);
  expect(chosen?.info?.["votes"]).toBeCloseTo(most?.[1] ?? 0, 6);
});

test("by value: votes weigh what the ends are valued, and a step has no such value", async () => {
  const { env, agent } = createCheckGround();
  const [task] = env.tasks("train") as Iterable<Task>;
  const search = createSearch("confidence-vote", { n: 6, by: "value" });
  const worth = (action = ""): number => (action.length % 7) / 10;
  const value = {
    estimate: (nodes: readonly SearchNode[]) => Promise.resolve(nodes.map(({ action }) => worth(action))),
  };
  const given = { env, agent, task: task as Task, seed: 3, search, value, seesOutcome: false };
  const { root, chosen } = await runSearch(given);
  const ends = nodesBelow(root).filter(({ ending }) => ending !== undefined);
  const weights = new Map<string, number>();
  for (const { action = "" } of ends) weights.set(action, (weights.get(action) ?? 0) + worth(action));
  const [most] = [...weights].toSorted((left, right) => right[1] - left[1]);
  expect(chosen?.info?.["votes"]).toBeCloseTo(most?.[1] ?? 0, 12);
  expect(chosen?.action).toBe(most?.[0]);
  expect(() => createSearch("confidence-vote", { by: "value", over: "step" })).toThrow("Use over=episode");
});
