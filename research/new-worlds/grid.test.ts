/** The grid: its contract, levels that can be solved, splits that share none, and what distances are worth. */
import { describe, expect, test } from "vitest";
import { createRng, type Env, type Episode, type Task } from "limbeck";
import { envContract } from "limbeck/testing";
import grid from "./grid.ts";
import { levels, progressOf, shortestWay, type LevelId } from "./grid-level.ts";

const runner = { describe, test };
const { demonstrators = {} } = grid;
for (const level of Object.keys(levels) as LevelId[]) {
  envContract({ name: `grid, ${level}`, env: () => grid.create({ level }), demonstrators, runner, runs: 1 }); // prettier-ignore
}

const tasksOf = (env: Env, split: string, count: number): readonly Task[] => [
  ...(env.tasks(split, { count }) as Iterable<Task>),
];

/** Moves that the world's own copies need, without a word of how it searches. */
async function fewestMoves(start: Episode): Promise<number> {
  const seen = new Set([start.stateKey]);
  let edge = [start];
  for (let moves = 1; edge.length > 0; moves += 1) {
    const next: Episode[] = [];
    for (const here of edge) {
      for (const action of here.admissible() ?? []) {
        const there = await here.fork();
        const { success } = await there.step(action);
        if (success === true) return moves;
        if (seen.has(there.stateKey)) continue;
        seen.add(there.stateKey);
        next.push(there);
      }
    }
    edge = next;
  }
  return Number.NaN;
}

async function playedBy(name: string, env: Env, task: Task) {
  const demonstration = demonstrators[name]?.start(task, createRng(task.id));
  const episode = await env.open(task);
  let action: string | undefined;
  let moves = 0;
  while (episode.ending === undefined) {
    action = demonstration?.next({ action, observation: episode.observation, admissible: episode.admissible() }) ?? "";
    await episode.step(action);
    moves += 1;
  }
  return { moves, success: episode.success, reward: episode.reward };
}

test.each(["walk", "push"] as const)(
  "%s: every level can be solved, and the expert needs the fewest moves",
  async (level) => {
    for (const seed of [1]) {
      const env = await grid.create({ level, seed });
      for (const task of ["train", "valid", "test"].flatMap((split) => tasksOf(env, split, 3))) {
        const fewest = await fewestMoves(await env.open(task));
        expect(await playedBy("expert", env, task)).toEqual({
          moves: fewest,
          success: true,
          reward: { kind: "scored", value: 1 },
        });
        expect(fewest).toBeGreaterThanOrEqual(levels[level].way[0]);
        expect(fewest).toBeLessThanOrEqual(levels[level].way[1]);
      }
    }
  },
);

test("two boxes: the expert solves them, the wanderer some of them", async () => {
  const env = await grid.create({ level: "two" });
  const tasks = tasksOf(env, "test", 8);
  const solved = async (name: string): Promise<number> =>
    (await Promise.all(tasks.map((task) => playedBy(name, env, task)))).filter(({ success }) => success).length;
  expect(await solved("expert")).toBe(8);
  expect(await solved("wanderer")).toBeLessThan(8);
});

test.each(Object.keys(levels))("%s: no level is in two splits, whatever the seed", async (level) => {
  const opened = async (split: string, seed: number): Promise<string[]> => {
    const env = await grid.create({ level, seed });
    return await Promise.all(
      tasksOf(env, split, level === "two" ? 3 : 40).map(async (task) => (await env.open(task)).observation),
    );
  };
  const train = new Set(await opened("train", 1));
  const held = [...(await opened("test", 2)), ...(await opened("valid", 3))];
  expect(held.filter((text) => train.has(text))).toEqual([]);
});

//   . . # . G      walker W to goal G: 4 up-right steps without the wall, 6 around it
//   . . # . .
//   W . . . .
const room = { walls: [2, 7], goals: [4] };

test("distances by hand: the walker's, around walls; further away is worth nothing", () => {
  const progress = progressOf({ grid: room, start: { you: 10, boxes: [] } });
  // 10 to 14 along the third line is 4 steps, then 2 up: 6. At 13: 1 + 2 = 3. At 1, behind the wall: 2 down, 3 right, 2 up.
  expect([10, 11, 13, 9, 4, 15, 1].map((you) => progress({ you, boxes: [] }))).toEqual([0, 1 - 5 / 6, 0.5, 1 - 1 / 6, 1, 0, 0]); // prettier-ignore
  expect(shortestWay(room, { you: 10, boxes: [] })).toHaveLength(6);
});

test("distances by hand: boxes', each with a goal of its own", () => {
  const two = { walls: [], goals: [4, 20] };
  const progress = progressOf({ grid: two, start: { you: 12, boxes: [6, 18] } });
  // 6 (2 2) to 4 (5 1): 3 + 1 = 4; to 20 (1 5): 1 + 3 = 4; 18 (4 4) to either: 4. Together 8 at first.
  expect(progress({ you: 12, boxes: [6, 18] })).toBe(0);
  expect(progress({ you: 0, boxes: [4, 18] })).toBe(0.5);
  // Both beside the same goal: one of them has the other goal, 7 steps away: 1 + 7 = 8.
  expect(progress({ you: 0, boxes: [3, 9] })).toBe(0);
  expect(progress({ you: 0, boxes: [4, 20] })).toBe(1);
  // A box in the corner is stuck.
  expect(shortestWay(two, { you: 12, boxes: [0, 18] })).toBeUndefined();
});

test("steps are worth what comes nearer; with pass or fail the last alone is", async () => {
  const rewards = async (partialCredit: boolean): Promise<readonly number[]> => {
    const env = await grid.create({ partialCredit });
    const [task] = tasksOf(env, "train", 1) as [Task];
    const episode = await env.open(task);
    const found: number[] = [];
    while (episode.ending === undefined) {
      const action = demonstrators["expert"]?.start(task, createRng(1)).next({ action: undefined, observation: episode.observation }); // prettier-ignore
      const { reward } = await episode.step(action ?? "");
      found.push(reward.kind === "scored" ? reward.value : Number.NaN);
    }
    return found;
  };
  const near = await rewards(true);
  for (const value of near) expect(value).toBeCloseTo(1 / near.length, 9);
  expect(await rewards(false)).toEqual(near.map((_, at) => Number(at === near.length - 1)));
});
