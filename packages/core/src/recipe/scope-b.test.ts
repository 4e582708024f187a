import { expect, test } from "vitest";
import { eastward, threeRooms } from "../../../../test/support/provider-bench.ts";
import { corridorDialect, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { createStrategy } from "../rollout/registry.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { play } from "../update/collect.ts";

recipeContract("scope-b");

/** Takes a right step first and then waits or goes on, so that some episodes fail after a good beginning. */
async function collect(): Promise<readonly Trajectory[]> {
  const env = threeRooms();
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { count: 2 })) tasks.push(task);
  const policy = createScriptedPolicy({
    script: ({ index }) =>
      index === 0
        ? "go east"
        : [
            { text: "go west", probability: 0.8 },
            { text: "go east", probability: 0.2 },
          ],
  });
  const strategy = createStrategy("salvage", { size: 6, leastShare: 0.2 });
  const agent = createTokenAgent({ policy, dialect: corridorDialect });
  return (await play({ env, demonstrator: eastward, agent, strategy, tasks, seed: 3, peers: 2 })).trajectories;
}

test("mended episodes join their groups, and corrected tokens have a loss of their own", async () => {
  const { record, model, before } = await tryRecipe("scope-b", { collect });
  const mended = record.episodes.filter(({ info, success }) => info?.["salvage"] !== undefined && success === true);
  expect(mended.length).toBeGreaterThan(0);
  expect(record.metrics["salvage/corrected"]).toBe(mended.length);
  // The corrected step of each, and nothing else, is under the shaped ratio.
  const answer = corridorDialect.reply("go east").length;
  expect(record.metrics["loss/corrected/trainedTokens"]).toBe(mended.length * answer);
  const learned = record.episodes.filter(({ info, success }) => info?.["salvage"] === undefined || success === true);
  const own = learned.reduce(
    (sum, { streams }) => sum + streams.reduce((total, { mask }) => total + mask.filter((on) => on === 1).length, 0),
    0,
  );
  expect(record.metrics["loss/policy/trainedTokens"]).toBe(own);
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});

test("a weight of 0 leaves the corrected tokens alone", async () => {
  const { record, model } = await tryRecipe("scope-b", { collect, given: { correctedWeight: 0 } });
  expect(record.metrics["loss/corrected/trainedTokens"]).toBeUndefined();
  await model.close();
});
