import { expect, test } from "vitest";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { createStrategy } from "./registry.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import type { Corrector } from "../walk/judge.ts";

const east: Corrector = () => Promise.resolve({ action: "go east" });

async function played(corrector: Corrector, options: Readonly<Record<string, number>>) {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const strategy = createStrategy("guided", options);
  return (await rollOut({ env, agent, strategy, tasks, seed: 1, corrector })).trajectories;
}

test("episodes begin with 0, 1, 2 steps of the corrector, which nobody trains on", async () => {
  const trajectories = await played(east, { size: 4, levels: 3, stride: 1 });
  expect(trajectories.map(({ info }) => info?.["guidedSteps"])).toEqual([0, 1, 2, 0]);
  for (const { steps, streams, info } of trajectories) {
    const given = Number(info?.["guidedSteps"]);
    expect(steps.slice(0, given).map(({ action }) => action)).toEqual(Array.from({ length: given }, () => "go east"));
    for (const { span, index } of steps) {
      const mask = span === undefined ? undefined : streams[span.stream]?.mask.subarray(span.start, span.end);
      expect(mask?.includes(1)).toBe(index >= given);
    }
  }
});

test("a corrector that has nothing to say ends the guidance", async () => {
  const trajectories = await played(() => Promise.resolve(undefined), { size: 3, levels: 3, stride: 2 });
  expect(trajectories.map(({ info }) => info?.["guidedSteps"])).toEqual([0, 0, 0]);
});
