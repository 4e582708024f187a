import { describe, expect, test } from "vitest";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCorridor } from "./corridor.ts";
import { checkEnv, envContract } from "./env.contract.ts";
import type { Env, Episode } from "./env.ts";
import { wrapEnv, wrapEpisode } from "./wrap.ts";

const runner = { describe, test };

envContract({ name: "corridor", env: createCorridor(), runner });
envContract({ name: "corridor made late", env: () => Promise.resolve(createCorridor({ rooms: 2 })), runner, runs: 3 });

const breakages: Record<string, { env: Env; message: RegExp }> = {
  "an opening text that changes": { env: restless(), message: /second episode of the same task differs/ },
  "a fork that is the original": {
    env: wrapEnv(createCorridor(), (episode) => wrapEpisode(episode, { fork: async () => episode })),
    message: /breaks the contract/,
  },
  "a listed action that is refused": {
    env: wrapEnv(createCorridor(), (episode) => listing(episode, ["go up"])),
    message: /admissible action "go up" was refused/,
  },
  "nonsense that is taken for valid": {
    env: wrapEnv(createCorridor(), credulous),
    message: /was reported as valid/,
  },
  "a question that changes the world": {
    env: wrapEnv(createCorridor(), (episode) => tellsApart(episode)),
    message: /a fork says the opposite/,
  },
  "harmless nonsense that cannot be taken back": {
    env: wrapEnv(createCorridor(), finalInAll),
    message: /it says no of what does nothing here/,
  },
  "an episode without end": {
    env: wrapEnv(createCorridor({ maxSteps: 12 }), (episode) => episode, { maxSteps: 3 }),
    message: /goes on after 3 steps/,
  },
  "a split that is shorter than it says": {
    env: wrapEnv(createCorridor(), (episode) => episode, { splits: { train: 100, valid: 99 }, tasks: () => [] }),
    message: /gave 0, not 5/,
  },
};

test.each(Object.entries(breakages))("notices %s", async (_, { env, message }) => {
  const task: Task = { id: "t", env: "corridor", seed: 0, goal: "", split: "train" };
  await expect(checkEnv(env, { tasks: [task], seed: 1 })).rejects.toThrow(message);
});

test("says what it checked", async () => {
  const report = await checkEnv(createCorridor(), { runs: 2 });
  expect(report.checked).toContain("a fork and its original never influence each other");
  expect(report.checked).toHaveLength(10);
});

function restless(): Env {
  let opened = 0;
  return wrapEnv(createCorridor(), (episode) => {
    const stamp = opened++;
    return wrapEpisode(episode, {
      get observation() {
        return `${episode.observation} ${stamp}`;
      },
      fork: () => episode.fork(),
    });
  });
}

function listing(episode: Episode, extra: readonly string[]): Episode {
  return wrapEpisode(episode, {
    admissible: () => [...(episode.admissible() ?? []), ...extra],
    fork: async () => listing(await episode.fork(), extra),
  });
}

/** Says yes the first time and no ever after. */
function tellsApart(episode: Episode, asked = { times: 0 }): Episode {
  return wrapEpisode(episode, {
    irreversible: () => (asked.times += 1) === 1,
    fork: async () => tellsApart(await episode.fork(), asked),
  });
}

function finalInAll(episode: Episode): Episode {
  return wrapEpisode(episode, { irreversible: () => true, fork: async () => finalInAll(await episode.fork()) });
}

function credulous(episode: Episode): Episode {
  return wrapEpisode(episode, {
    step: async (action) => ({ ...(await episode.step(action)), valid: true }),
    fork: async () => credulous(await episode.fork()),
  });
}
