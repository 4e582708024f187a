import { expect, test } from "vitest";
import { createRng } from "../packages/base/src/base/rng.ts";
import { createHousehold } from "../packages/worlds/src/household/household.ts";
import type { Task } from "../packages/base/src/trajectory/trajectory.ts";
import { tryGame } from "../research/starting-model/scouting.ts";

const env = createHousehold({ dial: "tiny" });

async function tasksOf(split: string, count: number): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of env.tasks(split, { count })) tasks.push(task);
  return tasks;
}

test("a novice succeeds in some episodes of every family, and fails in most", async () => {
  const won = new Map<string, number>();
  const tasks = await tasksOf("train", 240);
  for (const task of tasks) {
    const { success } = await tryGame(env, task, createRng(task.id), false);
    const family = JSON.stringify(task.data?.["family"]);
    won.set(family, (won.get(family) ?? 0) + (success ? 1 : 0));
  }
  expect(won.size).toBe(6);
  // 40 games a family: a true share of 0.35 lies outside 5 to 26 with a chance below one in a thousand.
  for (const [, count] of won) expect(count).toSatisfy((wins: number) => wins >= 5 && wins <= 26);
});
