import { expect, test } from "vitest";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { createStrategy } from "./registry.ts";
import type { Corrector, Judge } from "../walk/judge.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { firstError, isWorthSalvaging } from "./salvage.ts";

const once = { threshold: 0.5, inARow: 1 };

test("the first error is the first step with a low score", () => {
  expect(firstError([0.9, 0.8, 0.3, 0.7], once)).toBe(2);
  expect(firstError([0.9, 0.5], once)).toBeUndefined();
  expect(firstError([], once)).toBeUndefined();
  expect(firstError([0.9, null, 0.1], once)).toBe(2);
});

test("a noisy judge: two low scores in a row, of which the first is the error", () => {
  const twice = { threshold: 0.5, inARow: 2 };
  expect(firstError([0.9, 0.1, 0.9, 0.2, 0.3], twice)).toBe(3);
  expect(firstError([0.1, null, 0.1], twice)).toBeUndefined();
});

test("worth salvaging: 2 of 4 steps right are, 1 of 4 are not, none are not", () => {
  const least = { leastPrefix: 1, leastShare: 0.3 };
  expect(isWorthSalvaging(2, 4, least)).toBe(true);
  expect(isWorthSalvaging(1, 4, least)).toBe(false);
  expect(isWorthSalvaging(0, 1, { leastPrefix: 1, leastShare: 0 })).toBe(false);
});

const judge: Judge = ({ steps }) =>
  Promise.resolve({ stepScores: steps.map(({ action }) => (action === "go east" ? 0.9 : 0.2)) });

async function roll(corrector: Corrector, options: Readonly<Record<string, unknown>> = {}) {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 4 }) as Iterable<Task>)];
  const strategy = createStrategy("salvage", options);
  return await rollOut({ env, agent, strategy, tasks, seed: 1, judge, corrector, episode: { steps: 4 } });
}

test("the prefix is kept, the wrong step corrected and not trained, the rest the policy's own", async () => {
  const { trajectories } = await roll(() => Promise.resolve({ action: "go east" }));
  const repaired = trajectories.filter(({ parent }) => parent !== undefined);
  expect(repaired.length).toBeGreaterThan(3);
  for (const { parent, steps, streams, info, success } of repaired) {
    const failed = trajectories.find(({ id }) => id === parent?.trajectory);
    const error = failed?.steps.findIndex(({ action }) => action !== "go east");
    expect(failed?.success).toBe(false);
    expect(parent?.step).toBe(error);
    expect(steps[0]).toMatchObject({ index: error, action: "go east", info: { source: "corrector" } });
    const { start = 0, end = 0 } = steps[0]?.span ?? {};
    expect([...(streams[0]?.mask.slice(start, end) ?? [])]).toEqual([0, 0, 0]);
    const wanted = { step: error, success, ...(success === true ? { replaces: failed?.id } : {}) };
    expect(info?.["salvage"]).toEqual(wanted);
  }
  expect(repaired.some(({ success }) => success === true)).toBe(true);
});

test("nothing is salvaged without a correction, or when too little was right", async () => {
  for (const corrector of [() => Promise.resolve(undefined), () => Promise.reject(new Error("asleep"))]) {
    expect((await roll(corrector)).trajectories).toHaveLength(32);
  }
  const { trajectories } = await roll(() => Promise.resolve({ action: "go east" }), { leastShare: 1 });
  expect(trajectories).toHaveLength(32);
});
