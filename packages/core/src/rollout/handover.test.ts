import { expect, test } from "vitest";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { createHandover } from "./handover.ts";
import { rollOut } from "../walk/line/roll-out.ts";

async function played(actions: readonly string[], turns?: number) {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 2 }) as Iterable<Task>)];
  const strategy = createHandover({
    start: ({ id }) => ({ actions: id === tasks[0]?.id ? actions : [], ...(turns === undefined ? {} : { turns }) }),
    size: 2,
  });
  return (await rollOut({ env, agent, strategy, tasks, seed: 1 })).trajectories;
}

test("the given actions come first and are not trained on; a task without any is the policy's own", async () => {
  const trajectories = await played(["go east", "go west"]);
  expect(trajectories.map(({ info }) => info?.["guidedSteps"])).toEqual([2, 2, 0, 0]);
  for (const { steps, streams, info } of trajectories) {
    const given = Number(info?.["guidedSteps"]);
    expect(steps.slice(0, given).map(({ action }) => action)).toEqual(["go east", "go west"].slice(0, given));
    expect(steps.length).toBeGreaterThan(given);
    for (const { span, index } of steps) {
      const mask = span === undefined ? undefined : streams[span.stream]?.mask.subarray(span.start, span.end);
      expect(mask?.includes(1)).toBe(index >= given);
    }
  }
});

test("where the policy has no turn, an episode ends with what was given", async () => {
  const [first, , third] = await played(["go east"], 0);
  expect(first?.steps.map(({ action }) => action)).toEqual(["go east"]);
  expect(first?.streams[0]?.mask.includes(1)).toBe(false);
  expect(third?.steps).toEqual([]);
});

test("the policy takes as many turns as it has, and what it earned so far counts", async () => {
  for (const { steps, info, ending, reward } of await played(["go west"], 1)) {
    expect(steps.length).toBe(Number(info?.["guidedSteps"]) + 1);
    expect(ending).toBe("truncated");
    expect(reward.kind).toBe("scored");
  }
});

test("actions after the end of the episode are not carried out", async () => {
  const trajectories = await played(Array.from({ length: 200 }, () => "go east"));
  const [first] = trajectories;
  expect(first?.ending).not.toBe("failed");
  expect(first?.steps.length).toBeLessThan(200);
  expect(first?.streams[0]?.mask.includes(1)).toBe(false);
});
