import { expect, test } from "vitest";
import { lock, tableAgent, tableEnv } from "../../../../test/support/table-search.ts";
import { TABLE_TASK } from "../../../../test/support/table-world.ts";
import { createSearch } from "../search/registry.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { evaluateAgent } from "./evaluate.ts";
import { evaluateSearch } from "./evaluate-search.ts";

test("searched episodes are evaluated like played ones, and cost what the whole search cost", async () => {
  const table = lock(3, 0.5);
  const [env, agent] = [tableEnv(table), tableAgent(table)];
  const tasks = Array.from({ length: 12 }, (_, at) => ({ ...TABLE_TASK, id: `lock ${at}` }));
  const stored: Trajectory[] = [];
  const steps: number[] = [];
  const found = await evaluateSearch({
    env,
    agent,
    tasks,
    seed: 3,
    samples: 2,
    prefix: "side/",
    search: { search: () => createSearch("best-of-n", { n: 6 }) },
    sink: { append: async (trajectory) => void stored.push(trajectory) },
    onProgress: (done, total) => void steps.push(done / total),
  });
  const plain = await evaluateAgent({ env, agent, tasks, seed: 3, samples: 2 });
  expect(found.evaluation.tasks).toBe(24);
  expect(found.evaluation.success).toBeGreaterThan(plain.evaluation.success ?? Number.NaN);
  expect(found.spent.modelCalls).toBe(found.searches.reduce((total, { nodes }) => total + nodes, 0));
  expect(stored.map(({ id }) => id)).toEqual(found.trajectories.map(({ id }) => id));
  expect(new Set(stored.map(({ id }) => id)).size).toBe(24);
  expect(stored[0]?.id).toBe("side/lock 0/0");
  expect(steps.at(-1)).toBe(1);
});
