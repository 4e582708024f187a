import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { createCorridor } from "../env/corridor.ts";
import { wrapEnv, wrapEpisode } from "../env/wrap.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createDemonstratorAgent } from "../walk/mind/demonstrator-agent.ts";
import { createStrategy } from "./registry.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { bySpread, easyFirst, inBand, openShare } from "./curriculum.ts";

test("easy first: the open share grows with the rollouts, and only open tasks are drawn", () => {
  // 0.5 + 0.5 * 10 / 20 = 0.75; never above 1.
  expect(openShare(0, { begin: 0.5, pace: 20 })).toBe(0.5);
  expect(openShare(10, { begin: 0.5, pace: 20 })).toBe(0.75);
  expect(openShare(90, { begin: 0.5, pace: 20 })).toBe(1);
  const accuracies = [0.1, 0.9, 0.5, 0.8];
  // Half of four are the second and the fourth.
  expect(easyFirst(accuracies, 2, 0.5, createRng(1))).toEqual([1, 3]);
  const drawn = new Set(Array.from({ length: 30 }, (_, seed) => easyFirst(accuracies, 1, 0.75, createRng(seed))[0]));
  expect(drawn).toEqual(new Set([1, 2, 3]));
  // More are wanted than are open: the next easiest.
  expect(easyFirst(accuracies, 3, 0.25, createRng(1))).toEqual([1, 2, 3]);
});

test("band: those inside, then the nearest", () => {
  const accuracies = [0, 0.3, 1, 0.7, 0.85];
  expect(inBand(accuracies, 2, { low: 0.2, high: 0.8 }, createRng(1))).toEqual([1, 3]);
  // 0.85 is 0.05 away; 0 and 1 are 0.2 away.
  expect(inBand(accuracies, 3, { low: 0.2, high: 0.8 }, createRng(1))).toEqual([1, 3, 4]);
  const drawn = new Set(
    Array.from({ length: 30 }, (_, seed) => inBand(accuracies, 1, { low: 0.2, high: 0.8 }, createRng(seed))[0]),
  );
  expect(drawn).toEqual(new Set([1, 3]));
});

/** A corridor whose even tasks are hopeless and say so in their goals; the walker goes east. */
const corridor = createCorridor({ rooms: 3, maxSteps: 4 });
const env = wrapEnv(corridor, (episode) => episode, {
  tasks: (split, options) =>
    [...(corridor.tasks(split, options) as Iterable<Task>)].map((task) => ({
      ...task,
      goal: task.seed % 2 === 0 ? "hopeless errand" : "simple walk",
    })),
  open: (task) => (task.goal.startsWith("hopeless") ? createCorridor({ rooms: 9, maxSteps: 4 }) : corridor).open(task),
});
const agent = createDemonstratorAgent({ id: "east", summary: "", start: () => ({ next: () => "go east" }) });
const tasks = [...(env.tasks("train") as Iterable<Task>)];

async function rolled(strategy: ReturnType<typeof createStrategy>, seed: number): Promise<number[]> {
  const { trajectories } = await rollOut({ env, agent, strategy, tasks, seed, prefix: `${seed}/` });
  return [...new Set(trajectories.map(({ task }) => task.seed))];
}

test("after what it has seen, easy first leaves the hopeless alone, also over a restart", async () => {
  const options = { by: "easy-first", size: 2, share: 0.5, begin: 0.5, pace: 1_000 };
  const strategy = createStrategy("curriculum", options);
  expect(await rolled(strategy, 1)).toHaveLength(4);
  for (let seed = 2; seed < 4; seed += 1) await rolled(strategy, seed);
  const again = createStrategy("curriculum", options);
  again.load?.(JSON.parse(JSON.stringify(strategy.save?.())));
  const [kept, restarted] = [await rolled(strategy, 9), await rolled(again, 9)];
  expect(restarted).toEqual(kept);
  expect(kept).toEqual([1, 3, 5, 7]);
});

test("tasks that come again are known by themselves, also where all goals read alike", async () => {
  const alike = tasks.map((task) => ({ ...task, goal: "walk" }));
  const blank = wrapEnv(corridor, (episode) => episode, {
    open: (task) => (task.seed % 2 === 0 ? createCorridor({ rooms: 9, maxSteps: 4 }) : corridor).open(task),
  });
  const strategy = createStrategy("curriculum", { by: "easy-first", size: 1, share: 0.5, begin: 0.5, pace: 1_000 });
  const chosen: number[][] = [];
  for (let seed = 1; seed < 9; seed += 1) {
    const { trajectories } = await rollOut({ env: blank, agent, strategy, tasks: alike, seed, prefix: `${seed}/` });
    chosen.push([...new Set(trajectories.map(({ task }) => task.seed))]);
  }
  // Words cannot tell them apart; what each did when it was last visited can.
  expect(chosen.at(-1)).toEqual([1, 3, 5, 7]);
});

test("spread: new tasks first, then those whose rewards lay furthest apart", () => {
  expect(bySpread([0, undefined, 0.4, 0.9, undefined], 2, createRng(1))).toEqual([1, 4]);
  expect(bySpread([0, undefined, 0.4, 0.9, undefined], 3, createRng(1))).toEqual([1, 3, 4]);
  expect(bySpread([0, 0.2, 0.4, 0.9, 0], 2, createRng(1))).toEqual([2, 3]);
});

test("spread: a graded reward tells tasks apart that nobody solves, also over a restart", async () => {
  // Nobody arrives in time. Every second episode of an odd task comes half as near, even tasks are far from all.
  const far = createCorridor({ rooms: 9, maxSteps: 3 });
  const opened = new Map<number, number>();
  const graded = wrapEnv(far, (inner) => {
    const { seed } = inner.task;
    const times = opened.get(seed) ?? 0;
    opened.set(seed, times + 1);
    const reward = scored(seed % 2 === 0 ? 0.1 : times % 2 === 0 ? 0.2 : 0.4);
    return wrapEpisode(inner, { reward, fork: () => inner.fork() });
  });
  const strategy = createStrategy("curriculum", { by: "spread", size: 8, share: 0.5 });
  const seen = async (walked: typeof strategy, seed: number): Promise<number[]> => {
    const { trajectories } = await rollOut({ env: graded, agent, strategy: walked, tasks, seed, prefix: `${seed}/` });
    expect(trajectories.some(({ success }) => success === true)).toBe(false);
    return [...new Set(trajectories.map(({ task }) => task.seed))].toSorted((left, right) => left - right);
  };
  // New tasks come before all others, so two rollouts of half of them have seen each once.
  const both = [...(await seen(strategy, 1)), ...(await seen(strategy, 2))];
  expect(new Set(both).size).toBe(8);
  const again = createStrategy("curriculum", { by: "spread", size: 8, share: 0.5 });
  again.load?.(JSON.parse(JSON.stringify(strategy.save?.())));
  expect(await seen(strategy, 3)).toEqual([1, 3, 5, 7]);
  expect(await seen(again, 3)).toEqual([1, 3, 5, 7]);
});

test.each(["band", "spread"])("%s: no task is out of reach for ever, also over restarts", async (by) => {
  const options = { by, size: 2, share: 0.5, low: 0.9, high: 1 };
  const counts = new Map(tasks.map(({ seed }) => [seed, 0]));
  let state: unknown;
  for (let seed = 1; seed <= 20; seed += 1) {
    const strategy = createStrategy("curriculum", options);
    if (state !== undefined) strategy.load?.(JSON.parse(JSON.stringify(state)));
    const played = await rolled(strategy, seed);
    expect(played).toHaveLength(4);
    state = strategy.save?.();
    // The first ten may still be finding out.
    if (seed > 10) for (const task of played) counts.set(task, (counts.get(task) ?? 0) + 1);
  }
  expect([...counts.values()].filter((count) => count === 0)).toEqual([]);
});
