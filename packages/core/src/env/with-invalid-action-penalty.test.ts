import { describe, expect, test } from "vitest";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { createCorridor } from "./corridor.ts";
import { envContract } from "./env.contract.ts";
import type { Episode } from "./env.ts";
import { withInvalidActionPenalty } from "./with-invalid-action-penalty.ts";
import { wrapEnv, wrapEpisode } from "./wrap.ts";

const task = { id: "corridor-train-0", env: "corridor", seed: 0, goal: "", split: "train" };

envContract({
  name: "withInvalidActionPenalty",
  env: withInvalidActionPenalty(createCorridor()),
  invalidReward: -0.1,
  runner: { describe, test },
});

test("takes the penalty off the step and off the sum, in the fork as in the original", async () => {
  const episode = await withInvalidActionPenalty(createCorridor({ rooms: 2 }), 0.25).open(task);
  expect((await episode.step("fly")).reward).toEqual(scored(-0.25));
  const fork = await episode.fork();
  expect((await fork.step("fly")).reward).toEqual(scored(-0.25));
  expect((await episode.step("go east")).reward).toEqual(scored(1));
  // Original: 1 - 0.25 = 0.75. Fork: two invalid actions, 0 - 2 x 0.25 = -0.5.
  expect([episode.reward, fork.reward]).toEqual([scored(0.75), scored(-0.5)]);
});

test("an unscored step stays unscored", async () => {
  const lost = (episode: Episode): Episode =>
    wrapEpisode(episode, {
      step: async (action) => ({ ...(await episode.step(action)), reward: unscored("lost") }),
      fork: async () => lost(await episode.fork()),
    });
  const episode = await withInvalidActionPenalty(wrapEnv(createCorridor(), lost)).open(task);
  expect((await episode.step("fly")).reward).toEqual(unscored("lost"));
});
