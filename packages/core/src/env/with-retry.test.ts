import { describe, expect, test } from "vitest";
import { unscored } from "limbeck-base/trajectory/score";
import { createCorridor } from "./corridor.ts";
import { envContract } from "./env.contract.ts";
import type { Env, Episode } from "./env.ts";
import { withRetry } from "./with-retry.ts";
import { wrapEnv, wrapEpisode } from "./wrap.ts";

const task = { id: "corridor-train-0", env: "corridor", seed: 0, goal: "", split: "train" };

envContract({ name: "withRetry", env: withRetry(createCorridor()), runner: { describe, test } });

/** Calls are numbered over the whole environment; those listed fail, half carried out. */
function flaky(failing: readonly number[], how: "reject" | "lose" = "reject"): Env {
  let calls = 0;
  const fragile = (episode: Episode): Episode =>
    wrapEpisode(episode, {
      step: async (action) => {
        const result = await episode.step(action);
        if (!failing.includes(calls++)) return result;
        if (how === "reject") throw Object.assign(new Error("The connection broke."), { code: "ECONNRESET" });
        return { ...result, ending: "failed", reward: unscored("gone"), success: null };
      },
      fork: async () => fragile(await episode.fork()),
    });
  return wrapEnv(createCorridor({ rooms: 9 }), fragile);
}

test.each(["reject", "lose"] as const)("replays and repeats a step that fails (%s)", async (how) => {
  const episode = await withRetry(flaky([1], how)).open(task);
  await episode.step("go east");
  // The failed call had moved the agent; without the replay it would now stand in room 4.
  expect(await episode.step("go east")).toMatchObject({ observation: "Room 3.", ending: undefined });
  expect(episode.stateKey).toBe("room 3");
});

test("ends as failed and unscored when every attempt fails, and so does its fork", async () => {
  const episode = await withRetry(flaky([0, 1]), { attempts: 2 }).open(task);
  const result = await episode.step("go east");
  expect(result).toMatchObject({ ending: "failed", success: null, reward: unscored("The connection broke.") });
  expect(episode.failure).toEqual({ code: "ECONNRESET", message: "The connection broke." });
  const fork = await episode.fork();
  expect(fork.ending).toBe("failed");
  await expect(fork.step("go east")).rejects.toMatchObject({ code: "episode-ended" });
  await expect(episode.step("go east")).rejects.toMatchObject({ code: "episode-ended" });
});

test("tries again to open, and gives up with the last error", async () => {
  let calls = 0;
  const shy = (failures: number): Env =>
    wrapEnv(createCorridor(), (episode) => episode, {
      open: (given) => {
        calls += 1;
        return calls <= failures ? Promise.reject(new Error(`refused ${calls}`)) : createCorridor().open(given);
      },
    });
  expect((await withRetry(shy(2)).open(task)).observation).toBe("Room 1.");
  calls = 0;
  await expect(withRetry(shy(9)).open(task)).rejects.toThrow("refused 3");
});

test("does not repeat misuse or cancelled work", async () => {
  const episode = await withRetry(createCorridor()).open(task);
  await episode.close();
  await expect(episode.step("go east")).rejects.toMatchObject({ code: "episode-closed" });
  expect(() => withRetry(createCorridor(), { attempts: 0 })).toThrow("Option attempts of withRetry is 0");
  const stopped = AbortSignal.abort();
  const broken = await withRetry(flaky([0])).open(task);
  await expect(broken.step("go east", { signal: stopped })).rejects.toMatchObject({ code: "cancelled" });
});
