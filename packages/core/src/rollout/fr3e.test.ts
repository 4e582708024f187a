import { expect, test } from "vitest";
import { validateForest } from "limbeck-base/trajectory/forest";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { createStrategy } from "./registry.ts";

async function played(options: Readonly<Record<string, unknown>>, budget = {}): Promise<readonly Trajectory[]> {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  return (await rollOut({ env, agent, tasks, strategy: createStrategy("fr3e", options), seed: 5, budget }))
    .trajectories;
}

test("it goes back to the least certain tokens of the first episode, several times each", async () => {
  const all = await played({ places: 2, branches: 3 });
  expect(validateForest(all)).toEqual([]);
  const [first, ...others] = all;
  expect(first?.parent).toBeUndefined();
  expect(others).toHaveLength(6);
  /*
   * After the question: go 0.9, wall. 0.1, H = 0.325. After "go": east 0.65, west 0.3, go 0.05, H = 0.791. After those the
   * answer ends, H = 0. So the places are the second tokens of the first two steps that said "go"; one token is kept.
   */
  const goSteps = first?.steps.filter(({ action }) => action.startsWith("go")).map(({ index }) => index) ?? [];
  expect(others.map(({ parent }) => [parent?.step, parent?.token])).toEqual(
    goSteps.slice(0, 2).flatMap((step) => [1, 2, 3].map(() => [step, 1])),
  );
  for (const { info, ending } of others) {
    expect(info?.["fr3e"]).toMatchObject({ token: 1, doubt: expect.closeTo(0.791, 3) as number });
    expect(ending).toBeDefined();
  }
});

test("a budget that cannot pay a branch leaves the first episode", async () => {
  const [first, ...others] = await played({ places: 1, branches: 1 });
  const steps = first?.steps.length ?? 0;
  expect(others).toHaveLength(1);
  expect(await played({ places: 1, branches: 1 }, { envSteps: steps })).toHaveLength(1);
});
