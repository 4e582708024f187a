import { join } from "node:path";
import { expect, test } from "vitest";
import { evenTokens, smallPlan } from "../../../../test/support/small-training.ts";
import { collect } from "../../../../test/support/stores.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import type { Env, Episode } from "limbeck-core/env/env";
import { wrapEnv, wrapEpisode } from "limbeck-core/env/wrap";
import { openStore } from "limbeck-store/store/open-store";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { planTraining } from "./plan.ts";
import { train } from "./train.ts";
import type { TrainOptions } from "./options.ts";
import type { RecipeId } from "limbeck-core/recipe/registry";

const newFolder = temporaryFolders();

/** A corridor that counts the steps that are taken in it, by whomever. */
function counted(): { readonly env: Env; readonly steps: () => number } {
  let steps = 0;
  const counting = (inner: Episode): Episode =>
    wrapEpisode(inner, {
      step: (action, options) => {
        steps += 1;
        return inner.step(action, options);
      },
      fork: async () => counting(await inner.fork()),
    });
  return { env: wrapEnv(createCorridor({ rooms: 2, maxSteps: 3 }), counting), steps: () => steps };
}

async function trained(more: Partial<TrainOptions<RecipeId, string>>, given: Record<string, number | boolean> = {}) {
  const root = await newFolder();
  const model = join(root, "start");
  await writeTinyModel(model);
  const { env, steps } = counted();
  const dir = join(root, "runs", "one");
  const plan = smallPlan({
    recipe: "grpo",
    env,
    envName: "corridor",
    model,
    dir,
    steps: 2,
    keep: true,
    rewardAll: evenTokens,
    given: { tasks: 2, answerTokens: 6, learningRate: 0.01, ...given },
  });
  const { strategy: _strategy, ...options } = plan;
  const end = await train({ ...options, ...more });
  const store = openStore(join(root, "runs"));
  const stored: Trajectory[] = await collect(store.trajectories({ run: "one" }));
  await store.close();
  return { end, stored, steps: steps() };
}

const tokensOf = ({ streams }: Trajectory): number =>
  streams.reduce((total, { mask }) => total + mask.reduce((sum, on) => sum + on, 0), 0);

test("best of n collects: each update has a tree a task, all of it is stored once and booked", async () => {
  const { end, stored, steps } = await trained({ collect: "best-of-n" }, { "collect.n": 3, "collect.stop": false });
  expect(end).toMatchObject({ reason: "finished", update: 2 });
  // 2 updates of 2 tasks, 3 episodes each.
  expect(stored).toHaveLength(12);
  expect(new Set(stored.map(({ id }) => id)).size).toBe(12);
  expect(stored.filter(({ parent }) => parent === undefined)).toHaveLength(4);
  expect(end.spent.environmentSteps).toBe(steps);
  expect(end.spent.sampledTokens).toBe(stored.reduce((total, one) => total + tokensOf(one), 0));
});

test("a budget holds for each tree, and group says how many trees a task has", async () => {
  const given = { group: 2, "collect.envSteps": 6 };
  const { end, stored, steps } = await trained({ collect: "mcts", steps: 1 }, given);
  expect(stored.filter(({ parent }) => parent === undefined)).toHaveLength(4);
  expect(new Set(stored.map(({ group }) => group)).size).toBe(2);
  expect(steps).toBeLessThanOrEqual(4 * 6);
  expect(end.spent.environmentSteps).toBe(steps);
});

test("a budget in which no episode ends is an error that names the setting", async () => {
  await expect(trained({ collect: "best-of-n" }, { "collect.envSteps": 1 })).rejects.toMatchObject({
    code: "bad-limit",
    message: expect.stringContaining("collect.envSteps"),
  });
});

const refused: Record<string, readonly [Partial<TrainOptions<RecipeId, string>>, string, RegExp]> = {
  "a strategy beside it": [{ collect: "mcts", strategy: "tree" }, "usage", /takes the place of the strategy/],
  "a recipe that plays itself": [{ collect: "mcts", recipe: "agent-q" }, "needs-unmet", /agent-q plays every update/],
  "playing ahead": [{ collect: "mcts", lag: 1 }, "needs-unmet", /--lag, --fleet/],
  "an unknown search": [{ collect: "mtcs" }, "unknown-name", /Did you mean "mcts"/],
  "an unknown setting": [
    { collect: "best-of-n", settings: { collect: { depth: 2 } } },
    "unknown-name",
    /No option of the recipe grpo "collect\.depth"/,
  ],
  "settings of a strategy": [
    { collect: "mcts", settings: { strategy: { tick: 2 } } },
    "unknown-name",
    /strategy\.tick/,
  ],
  "a search that lacks a value": [
    { collect: () => ({ name: "lame", needs: ["value"], run: () => Promise.resolve(undefined) }) as never },
    "needs-unmet",
    /The search lame cannot collect without collect\.value=NAME/,
  ],
};

test.each(Object.entries(refused))("%s is refused before any work", async (_what, [options, code, message]) => {
  await expect(planTraining({ recipe: "grpo", ...options })).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});
