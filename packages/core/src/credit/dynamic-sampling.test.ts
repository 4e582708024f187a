import { expect, test } from "vitest";
import { collectTasks, emptyCollection, isInformative } from "./dynamic-sampling.ts";

const tasks = (...values: readonly number[][]) => values.map((own, at) => ({ id: at, values: own }));

test("keeps tasks whose rollouts differ, and single rollouts", () => {
  // a: [1, 1] drops, b: [1, 0] stays, c: [0, 0] drops.
  expect(
    tasks([1, 1], [1, 0], [0, 0])
      .filter(isInformative)
      .map(({ id }) => id),
  ).toEqual([1]);
  expect(isInformative({ values: [1] })).toBe(true);
});

test("collects until there is enough, in order of arrival, and cuts", () => {
  const options = { trainTasks: 2 };
  const first = collectTasks(emptyCollection<{ id: number; values: number[] }>(), tasks([1, 0], [1, 1]), options);
  expect(first).toMatchObject({ batches: 1, done: false });
  const second = collectTasks(first, tasks([1, 1], [0, 1], [0, 1]), options);
  expect(second).toMatchObject({ batches: 2, done: true });
  expect(second.tasks.map(({ id }) => id)).toEqual([0, 1]);
});

test("gives up after the last batch, or trains on what there is", () => {
  const short = { tasks: [], batches: 9, done: false };
  expect(() => collectTasks(short, tasks([1, 0]), { trainTasks: 2 })).toThrow(
    /After 10 generated batches 1 of 2 tasks/,
  );
  expect(collectTasks(short, tasks([1, 0]), { trainTasks: 2, whenShort: "train" })).toMatchObject({ done: true });
});
