import { expect, test } from "vitest";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { createStrategy } from "./registry.ts";
import { rollOut, type RollOutOptions } from "../walk/line/roll-out.ts";

const options = (more: Partial<RollOutOptions> = {}): RollOutOptions => {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 2 }) as Iterable<Task>)];
  return { env, agent, strategy: createStrategy("group", { size: 3 }), tasks, seed: 1, ...more };
};

test("every task is rolled out so many times, in order, each as an episode of its own", async () => {
  const { trajectories, episodes } = await rollOut(options());
  expect(trajectories.map(({ id }) => id)).toEqual([
    "corridor-train-0/0",
    "corridor-train-0/1",
    "corridor-train-0/2",
    "corridor-train-1/0",
    "corridor-train-1/1",
    "corridor-train-1/2",
  ]);
  expect(episodes).toBe(6);
  expect(trajectories.every(({ parent, ending }) => parent === undefined && ending !== "failed")).toBe(true);
  expect(new Set(trajectories.map(({ steps }) => steps.map(({ action }) => action).join())).size).toBeGreaterThan(1);
});

test("a group of one is an ordinary episode, and another seed is another one", async () => {
  const one = { strategy: createStrategy("group", { size: 1 }) };
  const actions = async (seed: number): Promise<string> => {
    const { trajectories } = await rollOut(options({ ...one, seed }));
    expect(trajectories).toHaveLength(2);
    return JSON.stringify(trajectories.map(({ steps }) => steps.map(({ action }) => action)));
  };
  expect(await actions(1)).toBe(await actions(1));
  expect(await actions(1)).not.toBe(await actions(2));
});

test("a prefix tells rollouts of one run apart", async () => {
  const { trajectories } = await rollOut(options({ prefix: "update-7/" }));
  expect(trajectories[0]).toMatchObject({ id: "update-7/corridor-train-0/0", group: "update-7/corridor-train-0" });
});

test("a task given twice, a concurrency of 0 and an unknown option are refused", async () => {
  const { tasks } = options();
  await expect(rollOut(options({ tasks: [...tasks, ...tasks] }))).rejects.toThrow('"corridor-train-0" is given twice');
  await expect(rollOut(options({ concurrency: 0 }))).rejects.toThrow("Option concurrency of rollOut is 0");
  expect(() => createStrategy("group", { size: 0 })).toThrow("it takes a whole number at least 1");
  expect(() => createStrategy("group", { sise: 2 })).toThrow('No option of group "sise". Did you mean "size"?');
});
