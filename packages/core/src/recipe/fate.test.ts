import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { strategyEpisodes } from "../../../../test/support/strategy-episodes.ts";
import { findPairs } from "../distill/pairs/index.ts";
import { safetyCandidates } from "../distill/pairs/fate.ts";
import { createTools } from "limbeck-worlds/tools/tools-env";
import { DEMONSTRATORS } from "limbeck-worlds/tools/expert";
import { createStrategy } from "../rollout/registry.ts";
import { createDemonstratorAgent } from "../walk/mind/demonstrator-agent.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";

recipeContract("fate", { collect: () => strategyEpisodes("fate") });

test("after the first updates the front is preferred to what it beats", async () => {
  const given = { imitationUpdates: 0 };
  const { record, model } = await tryRecipe("fate", { given, collect: () => strategyEpisodes("fate") });
  expect(record.metrics["pairs/used"]).toBeGreaterThan(0);
  expect(record.metrics["loss/policy/pairs"]).toBe(record.metrics["pairs/used"]);
  expect(record.metrics["safety/front"]).toBeGreaterThan(0);
  await model.close();
});

/** The same customers served by one who follows the rules and one who never asks first. */
async function served(): Promise<readonly Trajectory[]> {
  const env = createTools();
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { count: 12 })) tasks.push(task);
  const strategy = createStrategy("group", { size: 1 });
  const all = await Promise.all(
    (["expert", "hasty"] as const).map(async (who) => {
      const agent = createDemonstratorAgent(DEMONSTRATORS[who]);
      const { trajectories } = await rollOut({ env, agent, tasks, strategy, seed: 1, prefix: `${who}/` });
      return trajectories.map((one) => ({ ...one, group: one.task.id }));
    }),
  );
  return all.flat();
}

test("in the tools world whoever never asks first is insecure, and only careful episodes are preferred", async () => {
  const episodes = await served();
  const scores = new Map(
    safetyCandidates(episodes)
      .flat()
      .map(({ trajectory, scores: own }) => [trajectory.id, own]),
  );
  const securityOf = (who: string): number[] =>
    episodes.flatMap(({ id }) => (id.startsWith(who) ? [scores.get(id)?.[0] ?? -1] : []));
  expect(securityOf("expert").every((value) => value === 1)).toBe(true);
  expect(securityOf("hasty").filter((value) => value === 0).length).toBeGreaterThan(5);
  const pairs = findPairs("fate", episodes);
  expect(pairs.length).toBeGreaterThan(5);
  expect(
    pairs.every(
      ({ chosen, rejected }) => chosen.trajectory.startsWith("expert") && rejected.trajectory.startsWith("hasty"),
    ),
  ).toBe(true);
});
