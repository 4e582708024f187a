import { expect, test } from "vitest";
import { createCorridor } from "limbeck-core/env/corridor";
import { tasksOf } from "limbeck-core/update/collect";
import { above, measureBaselines } from "./baselines.ts";

const env = createCorridor({ rooms: 3, maxSteps: 5 });
const { signal } = new AbortController();

test("always what was shown most often, and what is drawn", async () => {
  const tasks = await tasksOf(env, "valid", 0, 6);
  const [task] = tasks;
  const way = (...actions: string[]) => ({
    task: task as NonNullable<typeof task>,
    decisions: actions.map((action) => ({ message: "", action })),
  });
  const east = await measureBaselines({
    env,
    tasks,
    shown: [way("go east", "go east"), way("go west")],
    seed: 1,
    signal,
  });
  // East is shown twice, and always leads to the last room.
  expect([east.answer, east.blind.success, east.floor]).toEqual(["go east", 1, 1]);
  const west = await measureBaselines({ env, tasks, shown: [way("go west")], seed: 1, signal });
  expect(west.blind.success).toBe(0);
  // The draw does not depend on what is shown where the world lists its actions.
  expect(west.random).toEqual(east.random);
  expect(west.floor).toBe(west.random.success);
});

test("a share of what is left above the floor", () => {
  expect(above({ floor: 0 }, 0.25)).toBe(0.25);
  expect(above({ floor: 0.35 }, 0.25)).toBeCloseTo(0.5125, 9);
  expect(above({ floor: 1 }, 0.25)).toBe(0.95);
});
