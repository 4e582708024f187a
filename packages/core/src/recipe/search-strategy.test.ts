import { expect, test } from "vitest";
import { assignCredit } from "../credit/assign.ts";
import { batchFromTrajectories } from "../credit/from-trajectories.ts";
import { getCredit } from "../credit/registry.ts";
import { createCheckGround } from "../walk/check-ground.ts";
import { createSearch, allSearches } from "../search/registry.ts";
import { validateForest } from "limbeck-base/trajectory/forest";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { rollOut } from "../walk/line/roll-out.ts";
import type { Budget } from "../walk/purse.ts";
import { trainRows } from "../update/train-rows.ts";
import { searchStrategy } from "./search-strategy.ts";

const sampled = (masks: Iterable<Uint8Array>): number => {
  let total = 0;
  for (const mask of masks) for (const on of mask) total += on;
  return total;
};
const tokensOf = (trajectories: readonly Trajectory[]): number =>
  sampled(trajectories.flatMap(({ streams }) => streams.map(({ mask }) => mask)));

interface Wanted {
  readonly name: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly trees?: number;
  readonly budget?: Budget;
  readonly whole?: Budget;
}

async function collected({ name, options = {}, trees = 1, budget = { envSteps: 80 }, whole = {} }: Wanted) {
  const ground = createCheckGround();
  const tasks = [...(ground.env.tasks("train", { count: 2 }) as Iterable<Task>)];
  const strategy = searchStrategy({ search: () => createSearch(name, options), budget, trees });
  const { env, agent } = ground;
  return { ground, ...(await rollOut({ env, agent, strategy, tasks, seed: 5, prefix: "1/", budget: whole })) };
}

test.each(Object.keys(allSearches))("rows of what %s collects hold every token that was scored, once", async (name) => {
  const { ground, trajectories, spent } = await collected({ name });
  expect(validateForest(trajectories)).toEqual([]);
  const batch = batchFromTrajectories(trajectories);
  const left = new Set(batch.leftOut.map(({ trajectory }) => trajectory));
  const rows = trainRows(trajectories, batch, assignCredit(getCredit("grpo"), batch));
  expect(sampled(rows.map(({ mask }) => mask))).toBe(tokensOf(trajectories.filter(({ id }) => !left.has(id))));
  // What was said twice was merged; nothing is in the tree that was not sampled.
  expect(tokensOf(trajectories)).toBeLessThanOrEqual(ground.counts.sampledTokens);
  // The rollout has booked what the searches took.
  expect(spent.envSteps).toBeGreaterThanOrEqual(ground.counts.envSteps);
  expect(spent.sampledTokens).toBeGreaterThanOrEqual(ground.counts.sampledTokens);
});

test("best of n: n members of one group, and every sampled token is in one row", async () => {
  const { ground, trajectories } = await collected({ name: "best-of-n", options: { n: 4, stop: false }, budget: {} });
  expect(trajectories).toHaveLength(8);
  const [first, second] = trajectories;
  expect(first?.parent).toBeUndefined();
  expect(second?.parent).toEqual({ trajectory: first?.id, step: 0 });
  const batch = batchFromTrajectories(trajectories);
  const rows = trainRows(trajectories, batch, assignCredit(getCredit("grpo"), batch));
  expect(batch.leftOut).toEqual([]);
  expect(sampled(rows.map(({ mask }) => mask))).toBe(ground.counts.sampledTokens);
  expect(new Set(rows.map(({ group }) => group)).size).toBe(2);
});

test("several trees of a task are one group", async () => {
  const { trajectories } = await collected({ name: "mcts", trees: 3, budget: { envSteps: 30 } });
  const groups = [...new Set(trajectories.map(({ group }) => group))];
  expect(groups).toHaveLength(2);
  for (const group of groups) {
    const own = trajectories.filter((one) => one.group === group);
    expect(own.filter(({ parent }) => parent === undefined)).toHaveLength(3);
  }
  expect(new Set(trajectories.map(({ id }) => id)).size).toBe(trajectories.length);
});

test("a limit of the rollout holds for the trees in it", async () => {
  const { ground, spent } = await collected({ name: "best-of-n", budget: {}, whole: { envSteps: 25 } });
  expect(spent.envSteps).toBeLessThanOrEqual(25);
  expect(ground.counts.envSteps).toBeLessThanOrEqual(25);
  expect(ground.counts.envSteps).toBeGreaterThan(10);
});

test("a task that cannot be opened costs its own episode only", async () => {
  const ground = createCheckGround();
  const tasks = [...(ground.env.tasks("train", { count: 2 }) as Iterable<Task>)];
  const env = {
    ...ground.env,
    open: (task: Task) => (task === tasks[0] ? Promise.reject(new Error("No key.")) : ground.env.open(task)),
  };
  const strategy = searchStrategy({ search: () => createSearch("best-of-n", { n: 2 }) });
  const { trajectories } = await rollOut({ env, agent: ground.agent, strategy, tasks, seed: 5 });
  expect(trajectories[0]).toMatchObject({ ending: "failed", steps: [], failure: { code: "search-failed" } });
  expect(trajectories.slice(1).every(({ ending }) => ending !== "failed")).toBe(true);
});
