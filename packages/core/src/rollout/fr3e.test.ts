import { expect, test } from "vitest";
import { validateForest } from "limbeck-base/trajectory/forest";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { rollOut, type RollOutOptions } from "../walk/line/roll-out.ts";
import { createStrategy } from "./registry.ts";

async function played(
  options: Readonly<Record<string, unknown>>,
  more: Partial<RollOutOptions> = {},
): Promise<readonly Trajectory[]> {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  return (await rollOut({ env, agent, tasks, strategy: createStrategy("fr3e", options), seed: 5, ...more }))
    .trajectories;
}

test("it goes back to the least probable tokens of a success and of a failure", async () => {
  const all = await played({ size: 6, places: 2, branches: 2 }, { episode: { steps: 4 } });
  expect(validateForest(all)).toEqual([]);
  const roots = all.filter(({ parent }) => parent === undefined);
  expect(roots).toHaveLength(6);
  const bases = [true, false].map((success) => roots.find((root) => root.success === success));
  expect(bases).not.toContain(undefined);
  const others = all.filter(({ parent }) => parent !== undefined);
  expect(new Set(others.map(({ parent }) => parent?.trajectory))).toEqual(new Set(bases.map((base) => base?.id)));
  expect(others).toHaveLength(8);
  // What it says: go 0.9 or wall. 0.1, then east 0.65, west 0.3 or go 0.05. The least probable first.
  for (const base of bases) {
    const doubts = others.flatMap(({ parent, info }) =>
      parent?.trajectory === base?.id
        ? [(info?.["fr3e"] as { readonly doubt: number } | undefined)?.doubt ?? Number.NaN]
        : [],
    );
    expect(doubts).toEqual(doubts.toSorted((left, right) => right - left));
    expect([0.1, 0.05, 0.3, 0.65].some((chance) => Math.abs(doubts[0]! + Math.log(chance)) < 1e-6)).toBe(true);
  }
});

test("by entropy: the least certain tokens, several times each", async () => {
  const all = await played({ size: 1, anchors: "entropy", places: 2, branches: 3 });
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
  const [first, ...others] = await played({ size: 1, places: 1, branches: 1 });
  const steps = first?.steps.length ?? 0;
  expect(others).toHaveLength(1);
  expect(await played({ size: 1, places: 1, branches: 1 }, { budget: { envSteps: steps } })).toHaveLength(1);
});
