import { join } from "node:path";
import { expect, test } from "vitest";
import { evenTokens, smallPlan } from "../../../../test/support/small-training.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import type { Env, Episode } from "limbeck-core/env/env";
import { wrapEnv, wrapEpisode } from "limbeck-core/env/wrap";
import { scored } from "limbeck-base/trajectory/score";
import type { UpdateEvent } from "./events.ts";
import { train } from "./train.ts";

const newFolder = temporaryFolders();

/** Any word will do: every step is worth a point, and one of an even length ends the episode. */
function evenWords(): Env {
  const counting = (inner: Episode, said: { over: boolean; steps: number }): Episode =>
    wrapEpisode(inner, {
      get ending() {
        return said.over ? "terminated" : inner.ending;
      },
      get reward() {
        return scored(said.steps);
      },
      step: async (action, options) => {
        const result = await inner.step(action, options);
        said.steps += 1;
        said.over = action.length % 2 === 0;
        return { ...result, reward: scored(1), ending: said.over ? "terminated" : result.ending };
      },
      fork: async () => counting(await inner.fork(), { ...said }),
    });
  return wrapEnv(createCorridor({ rooms: 2, maxSteps: 6 }), (episode) => counting(episode, { over: false, steps: 0 }));
}

async function updatesOf(strategy: "group" | "partial" | "replay", given: Record<string, number | string>, steps = 3) {
  const root = await newFolder();
  const model = join(root, "start");
  await writeTinyModel(model);
  const updates: UpdateEvent[] = [];
  const plan = smallPlan({
    recipe: "grpo",
    strategy,
    env: evenWords(),
    envName: "corridor",
    model,
    dir: join(root, "run"),
    steps,
    rewardAll: evenTokens,
    given: { tasks: 4, group: 3, answerTokens: 6, learningRate: 0.01, ...given },
    onEvent: (event) => {
      if (event.kind === "update") updates.push(event);
    },
  });
  await train(plan);
  return updates.map(({ metrics }) => metrics);
}

test.each([
  ["partial", { "strategy.tick": 4, "strategy.cut": "step" }],
  ["replay", { "strategy.fresh": 0.5 }],
] as const)("%s brings tokens of older versions, and they are learned from by their ratio", async (strategy, given) => {
  const [first, ...later] = await updatesOf(strategy, given);
  expect(first).toMatchObject({ staleShare: 0 });
  expect(Math.max(...later.map(({ staleShare = 0 }) => staleShare))).toBeGreaterThan(0);
  for (const { staleShare = 0, ratioSpread = 0, ...metrics } of later) {
    // The clipped loss tells what it clips; the plain gradient, which fresh tokens get, has nothing to clip.
    expect([ratioSpread > 1e-5, metrics["clipFraction"] !== undefined]).toEqual([staleShare > 0, staleShare > 0]);
  }
});

test("a plain training has no token of an older version", async () => {
  for (const metrics of await updatesOf("group", {}, 2)) expect(metrics).toMatchObject({ staleShare: 0 });
});
