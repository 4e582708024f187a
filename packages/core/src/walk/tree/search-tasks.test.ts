import { expect, test } from "vitest";
import { lock, searchTable, tableAgent, tableEnv } from "../../../../../test/support/table-search.ts";
import { TABLE_TASK } from "../../../../../test/support/table-world.ts";
import { validateForest } from "limbeck-base/trajectory/forest";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { searchTasks, type SearchPlan } from "./search-tasks.ts";
import { createSearch } from "../../search/registry.ts";

const table = lock(3, 0.6);
const plan: SearchPlan = { search: () => createSearch("best-of-n", { n: 3, stop: false }) };
const tasks: Task[] = ["one", "two", "three"].map((id) => ({ ...TABLE_TASK, id }));

test("every tree reaches the sink whole, and outcomes come in the order of the tasks", async () => {
  const stored: Trajectory[] = [];
  const order: string[] = [];
  const outcomes = await searchTasks({
    plan,
    env: tableEnv(table),
    agent: tableAgent(table),
    tasks,
    seed: 1,
    together: 3,
    sink: { append: async (trajectory) => void stored.push(trajectory) },
    onOutcome: ({ task }) => void order.push(task.id),
  });
  expect(outcomes.map(({ task }) => task.id)).toEqual(["one", "two", "three"]);
  expect(order.toSorted()).toEqual(["one", "three", "two"]);
  expect(validateForest(stored)).toEqual([]);
  expect(stored).toHaveLength(9);
  for (const { episode, task, spent, nodes } of outcomes) {
    const whole = stored.find(({ id }) => id === `${task.id}/search`);
    expect(episode.steps.map(({ action }) => action)).toEqual(whole?.steps.map(({ action }) => action));
    expect([episode.success, episode.id]).toEqual([whole?.success, `${task.id}/chosen`]);
    expect(spent.envSteps).toBe(nodes);
    // The episode stands alone: its spans point into its own streams.
    expect(validateForest([episode])).toEqual([]);
    expect(episode.steps.every(({ span }) => span !== undefined)).toBe(true);
  }
});

test("a world that cannot be opened costs its own outcome only", async () => {
  const env = tableEnv(table);
  const broken = {
    ...env,
    open: (task: Task) => (task.id === "two" ? Promise.reject(new Error("The door is shut.")) : env.open(task)),
  };
  const outcomes = await searchTasks({ plan, env: broken, agent: tableAgent(table), tasks, seed: 1 });
  expect(outcomes.map(({ episode }) => episode.ending === "failed")).toEqual([false, true, false]);
  expect(outcomes[1]).toMatchObject({ nodes: 0, episode: { success: null, steps: [] } });
  expect(outcomes[1]?.failures[0]?.message).toContain("The door is shut.");
});

test("what was not carried to an end within the budget is no success", async () => {
  const [outcome] = await searchTasks({
    plan: { ...plan, budget: { envSteps: 1 } },
    env: tableEnv(lock(3, 1)),
    agent: tableAgent(lock(3, 1)),
    tasks: [TABLE_TASK],
    seed: 1,
  });
  expect(outcome?.episode).toMatchObject({ ending: "truncated", success: false, reward: { kind: "unscored" } });
  expect(outcome?.episode.steps).toHaveLength(1);
});

test("a search may begin after actions that others took", async () => {
  const result = await searchTable("best-of-n", lock(3, 1), { after: ["right", "right"], settings: { n: 2 } });
  expect([result.actions, result.success]).toEqual([["right", "right", "right"], true]);
  expect(result.root.children).toHaveLength(1);
  const over = await searchTable("best-of-n", lock(3, 1), { after: ["wrong"] });
  expect([over.actions, over.success, over.nodes]).toEqual([["wrong"], false, 1]);
  await expect(searchTable("best-of-n", lock(3, 1), { after: ["right"], budget: { envSteps: 0 } })).rejects.toThrow(
    /cannot begin after 1 actions/,
  );
});
