import { expect, test } from "vitest";
import { played, settingsOf, unevenness, worldOf } from "../../../../test/support/dealt-tasks.ts";
import { assignmentOf } from "./collect.ts";

test.each([1, 3, 7, 64, 101])("the same with %i tasks an update, none twice in one", async (tasks) => {
  for (const size of [1, 2, 5, 15, 16, 100]) {
    const updates = await played(size, tasks, 60, 7);
    expect([size, unevenness(size, updates) <= 1]).toEqual([size, true]);
    for (const ids of updates) expect([new Set(ids).size, ids.length]).toEqual([ids.length, Math.min(tasks, size)]);
  }
});

test("the order is shuffled, another one for each epoch and each seed", async () => {
  const [first, second, other] = [
    await played(40, 8, 5),
    (await played(40, 8, 10)).slice(5),
    await played(40, 8, 5, 2),
  ];
  const order = Array.from({ length: 40 }, (_, at) => `task ${at}`);
  expect(first.flat()).not.toEqual(order);
  expect(first.flat().toSorted()).toEqual(order.toSorted());
  expect(second.flat()).not.toEqual(first.flat());
  expect(other.flat()).not.toEqual(first.flat());
});

test("an update far on is the same whether the ones before it were asked for or not", async () => {
  const training = { env: worldOf(37), settings: settingsOf(8), seed: 3 };
  const alone = (await assignmentOf(training, 212, {})).tasks.map(({ id }) => id);
  expect((await played(37, 8, 212, 3))[211]).toEqual(alone);
});

test("a split of a thousand million tasks is shuffled without listing it, and no task comes twice", async () => {
  const updates = await played(1_000_000_000, 8, 200);
  const places = updates.flat().map((id) => Number(id.slice(5)));
  expect(new Set(places).size).toBe(1_600);
  expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
  // Of 1,600 even draws the mean is half, give or take 0.0072.
  expect(places.reduce((total, place) => total + place, 0) / 1_600 / 1e9).toBeCloseTo(0.5, 1);
  expect(places.some((place, at) => place === (places[at - 1] ?? -2) + 1)).toBe(false);
});
