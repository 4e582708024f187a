import { expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import type { Env } from "../env/env.ts";
import { placesOf, poolOffset, poolTasks, tasksOfPool, visitsBefore } from "./task-pool.ts";

const stream = (pool: { readonly size: number; readonly count: number; readonly seed: number }, updates: number) =>
  Array.from({ length: updates }, (_, at) => placesOf(pool, at + 1));

test.each([
  { size: 6, count: 4 },
  { size: 5, count: 5 },
  { size: 7, count: 3 },
  { size: 64, count: 8 },
  { size: 3, count: 2 },
])("a pool of $size, $count an update: each task once before any twice, and no task twice in an update", (plan) => {
  const updates = stream({ ...plan, seed: 3 }, 4 * plan.size);
  for (const places of updates) expect(new Set(places).size).toBe(plan.count);
  const all = updates.flat();
  for (let at = 0; at < all.length; at += plan.size) {
    expect(all.slice(at, at + plan.size).toSorted((left, right) => left - right)).toEqual([...Array(plan.size).keys()]);
  }
});

test("epochs differ, seeds differ, and an update is the same whoever asks first", () => {
  const pool = { size: 32, count: 8, seed: 1 };
  const [first, second] = [stream(pool, 4).flat(), stream(pool, 8).slice(4).flat()];
  expect(second).not.toEqual(first);
  expect(stream({ ...pool, seed: 2 }, 4).flat()).not.toEqual(first);
  expect(placesOf(pool, 7)).toEqual(stream(pool, 7)[6]);
});

test("visits before an update: 5 tasks, 2 an update", () => {
  const pool = { size: 5, count: 2, seed: 1 };
  // Update 3 holds the fifth task of the first epoch and the first of the second.
  expect([1, 2, 3, 4, 5, 6].map((update) => visitsBefore(pool, update))).toEqual([0, 0, 0.5, 1, 1, 2]);
});

test("a finite split is drawn from without replacement, an endless one at a place of the seed's own", async () => {
  const corridor = createCorridor();
  const pool = { size: 5, count: 2, drawn: 4, seed: 4 };
  const offsets = (env: Env): number[] => [0, 1, 2, 3, 4].map(poolOffset(env, pool));
  expect(new Set(offsets(corridor)).size).toBe(5);
  expect(Math.max(...offsets(corridor))).toBeLessThan(8);
  const ids = (await poolTasks(corridor, pool)).map(({ id }) => id);
  const played = await Promise.all([1, 2, 3].map((update) => tasksOfPool(corridor, pool, update)));
  expect(new Set(played.flat().map(({ id }) => id))).toEqual(new Set(ids));
  const endless = { ...corridor, splits: { train: Number.POSITIVE_INFINITY } };
  expect(offsets(endless)).toEqual([400_000, 400_001, 400_002, 400_003, 400_004]);
});
