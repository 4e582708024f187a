import { expect, test } from "vitest";
import { threeRooms, walker, walkerDialect } from "../../../../test/support/provider-bench.ts";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { validateForest } from "limbeck-base/trajectory/forest";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createStrategy } from "./registry.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { rollOut } from "../walk/line/roll-out.ts";

async function played(options: Readonly<Record<string, unknown>>): Promise<readonly Trajectory[]> {
  const env = threeRooms();
  const policy = createScriptedPolicy({ script: walker });
  const agent = createTokenAgent({ policy, dialect: walkerDialect, answerTokens: 16 });
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const corrector = async (): Promise<{ readonly action: string }> => ({ action: "go east" });
  const strategy = createStrategy("alternatives", options);
  return (await rollOut({ env, agent, tasks, strategy, seed: 1, corrector })).trajectories;
}

test("an expert walks, and at each of its states the policy tries its own ideas for one step", async () => {
  const all = await played({ by: "corrector", count: 3 });
  expect(validateForest(all)).toEqual([]);
  const [main, ...others] = all;
  // Two rooms to go: the expert needs two steps; three ideas at each of its two states.
  expect(main?.steps.map(({ action, info }) => [action, info?.["source"]])).toEqual([
    ["go east", "corrector"],
    ["go east", "corrector"],
  ]);
  expect(others.map(({ parent, steps }) => [parent?.step, steps.length])).toEqual(
    [0, 1].flatMap((step) => [0, 1, 2].map(() => [step, 1])),
  );
  // One east of the second room ends the episode; other ideas are stopped and nobody scores them.
  for (const { steps, reward, closing } of others) {
    const won = steps[0]?.index === 1 && steps[0].action === "go east";
    expect(reward.kind).toBe(won ? "scored" : "unscored");
    expect(closing?.observation).toMatch(/Room|wall/);
  }
});

test("the policy may walk the main line, alternatives go to the end, and only the first states are looked at", async () => {
  const all = await played({ by: "policy", count: 2, depth: null, points: 1 });
  expect(all).toHaveLength(3);
  expect(all.every(({ reward }) => reward.kind === "scored")).toBe(true);
  expect(all.slice(1).map(({ parent }) => parent?.step)).toEqual([0, 0]);
});

test("by default an expert walks, with eight ideas of the policy for one step at each of its states", async () => {
  const [main, ...others] = await played({});
  expect(main?.steps.map(({ info }) => info?.["source"])).toEqual(["corrector", "corrector"]);
  expect(others.map(({ parent, steps }) => [parent?.step, steps.length])).toEqual(
    [0, 1].flatMap((step) => Array.from({ length: 8 }, () => [step, 1])),
  );
});

test("without an expert to walk the main line it says so", async () => {
  const env = threeRooms();
  const policy = createScriptedPolicy({ script: walker });
  const agent = createTokenAgent({ policy, dialect: walkerDialect });
  const strategy = createStrategy("alternatives", {});
  await expect(rollOut({ env, agent, tasks: [], strategy, seed: 1 })).rejects.toThrow("needs a corrector");
});
