import { expect, test } from "vitest";
import { scored } from "limbeck-base/trajectory/score";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { createStrategy } from "./registry.ts";
import type { Pool } from "../walk/judge.ts";
import { rollOut, type RollOutOptions } from "../walk/line/roll-out.ts";

const roll = async (strategy: string, more: Partial<RollOutOptions> = {}) => {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 2 }) as Iterable<Task>)];
  return await rollOut({ env, agent, tasks, strategy: createStrategy(strategy), seed: 1, ...more });
};
/** What two other runs have put into the lake. */
const lake = async (): Promise<Trajectory[]> => [
  ...(await roll("group", { seed: 2, prefix: "two/" })).trajectories,
  ...(await roll("group", { seed: 3, prefix: "three/" })).trajectories,
];
const poolOf =
  (all: readonly Trajectory[]): Pool =>
  (task) =>
    Promise.resolve(all.filter((one) => one.task.id === task.id));

test("rollouts of other runs join the group of their task, with their tokens as they were", async () => {
  const all = await lake();
  const { trajectories, spent } = await roll("share", { pool: poolOf(all), prefix: "one/" });
  expect(trajectories).toHaveLength(16);
  const joined = trajectories.filter(({ info }) => info?.["shared"] !== undefined);
  expect(joined).toHaveLength(8);
  for (const { id, group, info, streams, task } of joined) {
    const source = all.find(
      (one) => one.id === (info?.["shared"] as { readonly trajectory: string } | undefined)?.trajectory,
    );
    expect(source?.task.id).toBe(task.id);
    expect(streams).toEqual(source?.streams);
    expect(id.startsWith(`${group}/shared-`)).toBe(true);
    expect(group).toBe(`one/${task.id}`);
  }
  // Only own tokens were paid for.
  const own = trajectories.filter(({ info }) => info?.["shared"] === undefined);
  const said = own.flatMap(({ streams }) => streams.map(({ mask }) => mask.reduce((sum, one) => sum + one, 0)));
  expect(spent.sampledTokens).toBe(said.reduce((sum, one) => sum + one, 0));
});

test("this run's judge scores what it takes over, and is paid", async () => {
  const judge = Object.assign(async () => ({ reward: scored(0.25), success: true }), { modelCalls: 1 });
  const { trajectories, spent } = await roll("share", { pool: poolOf(await lake()), judge });
  expect(
    trajectories.every(({ reward, success }) => reward.kind === "scored" && reward.value === 0.25 && success),
  ).toBe(true);
  const alone = await roll("group", { strategy: createStrategy("group", { size: 4 }), judge });
  expect(spent.modelCalls).toBe(alone.spent.modelCalls + 8);
});

test("other models, other tasks, failures and branches are left out", async () => {
  const all = await lake();
  const [first] = all as [Trajectory];
  const wrong: Trajectory[] = [
    { ...first, policy: { name: "another" } },
    { ...first, task: { ...first.task, id: "another" } },
    { ...first, ending: "failed", failure: { code: "x", message: "y" } },
    { ...first, parent: { trajectory: "z", step: 0 } },
    { ...first, reward: { kind: "unscored", why: "nobody" } },
  ];
  const { trajectories } = await roll("share", { pool: () => Promise.resolve(wrong) });
  expect(trajectories.filter(({ info }) => info?.["shared"] !== undefined)).toEqual([]);
});

test("a pool that fails has nothing to give; none at all is refused", async () => {
  const { trajectories } = await roll("share", { pool: () => Promise.reject(new Error("The lake is frozen.")) });
  expect(trajectories).toHaveLength(8);
  await expect(roll("share")).rejects.toMatchObject({ code: "needs-unmet" });
});
