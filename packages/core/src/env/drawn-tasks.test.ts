import { expect, test } from "vitest";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { drawnSplits, drawnTasks, splitOf } from "./drawn-tasks.ts";

/** Situations are numbers from 0 to 99, so that all of them can be seen. */
const world = (seed: number, dial = "low high") =>
  drawnTasks({
    id: "dice",
    seed,
    dial,
    draw: (_dial, rng) => rng.int(100),
    key: String,
    goal: (number) => `Say ${number}.`,
    data: (number) => ({ gold: number }),
  });

const list = (tasks: Iterable<Task> | AsyncIterable<Task>): Task[] => [...(tasks as Iterable<Task>)];

test("no situation is in two splits, whatever the seed", () => {
  const seen = new Map<string, Set<string>>(drawnSplits.map((split) => [split, new Set()]));
  for (const seed of [1, 2, 3]) {
    for (const split of drawnSplits) {
      for (const { goal } of list(world(seed).tasks(split, { count: 200 }))) seen.get(split)?.add(goal);
    }
  }
  const [train, valid, tested] = drawnSplits.map((split) => seen.get(split) as Set<string>);
  expect([...valid!, ...tested!].filter((goal) => train!.has(goal))).toEqual([]);
  expect([...valid!].filter((goal) => tested!.has(goal))).toEqual([]);
  // All hundred are met: 600 draws of the ninth part of them leave none out.
  expect(train!.size + valid!.size + tested!.size).toBe(100);
});

test("about eight in ten belong to training", () => {
  const names = Array.from({ length: 10_000 }, (_, at) => splitOf(`key ${at}`));
  const share = (split: string): number => names.filter((name) => name === split).length / names.length;
  expect(share("train")).toBeCloseTo(0.8, 1);
  expect(share("valid")).toBeCloseTo(0.1, 1);
  expect(share("test")).toBeCloseTo(0.1, 1);
});

test("a task carries all that its situation follows from", () => {
  const [task] = list(world(4).tasks("valid", { offset: 3, count: 1 }));
  expect(task).toMatchObject({ id: "dice/low-high/4/valid/3", env: "dice", seed: 4, split: "valid" });
  expect(task?.data).toEqual({ gold: Number(/\d+/.exec(task?.goal ?? "")?.[0]), dial: "low high", index: 3 });
  // A world of another seed and dial opens it all the same.
  expect(`Say ${world(9, "other").situationOf(task!)}.`).toBe(task?.goal);
});

test("a situation is drawn once, however often its task is opened", () => {
  let draws = 0;
  const counted = drawnTasks({
    id: "dice",
    seed: 1,
    dial: "",
    draw: (_dial, rng) => {
      draws += 1;
      return { number: rng.int(100) };
    },
    key: ({ number }) => String(number),
    goal: ({ number }) => `Say ${number}.`,
  });
  const [first, second] = list(counted.tasks("train", { count: 2 })) as [Task, Task];
  const before = draws;
  const shared = [first, second, first].map((task) => counted.situationOf(task));
  expect([draws, shared[0] === shared[2]]).toEqual([before, true]);
  expect(shared.map(({ number }) => `Say ${number}.`)).toEqual([first.goal, second.goal, first.goal]);
  // Of another seed it is another situation.
  counted.situationOf({ ...first, seed: 2 });
  expect(draws).toBeGreaterThan(before);
});

test("what is no task of the world is refused by name", () => {
  const [task] = list(world(1).tasks("train", { count: 1 })) as [Task];
  const { situationOf, tasks } = world(1);
  const broken: Task[] = [
    { ...task, env: "cards" },
    { ...task, split: "dev" },
    { ...task, data: {} },
    { ...task, data: { dial: "low high", index: -1 } },
    { ...task, data: { dial: "low high", index: 0.5 } },
    { ...task, data: { dial: 3, index: 0 } },
  ];
  for (const one of broken) expect(() => situationOf(one)).toThrow(/is no task of dice: it needs env "dice"/);
  expect(() => list(tasks("tain", { count: 1 }))).toThrow('Did you mean "train"?');
});

test("a split that no situation belongs to ends with an error, not without end", () => {
  const one = drawnTasks({ id: "one", seed: 1, dial: "a", draw: () => 0, key: () => "same", goal: String });
  const empty = drawnSplits.filter((split) => split !== splitOf("same"));
  for (const split of empty) expect(() => list(one.tasks(split, { count: 1 }))).toThrow(/No task of one was found/);
});
