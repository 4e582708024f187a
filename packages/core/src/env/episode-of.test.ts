import { expect, test } from "vitest";
import { scored } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { episodeOf, type StateRules } from "./episode-of.ts";

const task: Task = { id: "count", env: "count", seed: 0, goal: "Count to two.", split: "train" };

const rules: StateRules<number> = {
  observation: (count) => `at ${count}`,
  stateKey: String,
  ending: (count) => (count >= 2 ? "terminated" : undefined),
  reward: (count) => scored(count),
  success: (count) => (count >= 2 ? true : null),
  step: (count, action) => ({ state: count + 1, valid: action === "more", reward: scored(1), info: { before: count } }),
};

test("a step replaces the state, and every field is read off the new one", async () => {
  const episode = episodeOf(task, 0, rules);
  expect([episode.observation, episode.admissible(), episode.irreversible]).toEqual(["at 0", undefined, undefined]);
  expect(await episode.step("more")).toEqual({
    observation: "at 1",
    reward: scored(1),
    valid: true,
    ending: undefined,
    success: null,
    info: { before: 0 },
  });
  expect([episode.observation, episode.stateKey, episode.reward]).toEqual(["at 1", "1", scored(1)]);
});

test("a fork goes its own way; misuse is refused by its code", async () => {
  const episode = episodeOf(task, 0, rules);
  const fork = await episode.fork();
  await episode.step("more");
  await episode.step("more");
  expect([episode.ending, fork.ending, fork.observation]).toEqual(["terminated", undefined, "at 0"]);
  await expect(episode.step("more")).rejects.toMatchObject({ code: "episode-ended" });
  await expect(fork.step("more", { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "cancelled" });
  await fork.close();
  await expect(fork.step("more")).rejects.toMatchObject({ code: "episode-closed" });
  await expect(fork.fork()).rejects.toMatchObject({ code: "episode-closed" });
});

test("what a state holds is copied by a fork and freed once by close", async () => {
  const freed: number[] = [];
  const held: StateRules<number> = {
    ...rules,
    fork: (count) => Promise.resolve(count + 10),
    close: (count) => {
      freed.push(count);
      return Promise.resolve();
    },
  };
  const episode = episodeOf(task, 0, held);
  const fork = await episode.fork();
  expect(fork.stateKey).toBe("10");
  await fork.close();
  await fork.close();
  expect(freed).toEqual([10]);
});
