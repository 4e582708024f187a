import { describe, expect, test } from "vitest";
import { createCorridor } from "./corridor.ts";
import { envContract } from "./env.contract.ts";
import { withTimeLimit } from "./with-time-limit.ts";

const task = { id: "corridor-train-0", env: "corridor", seed: 0, goal: "", split: "train" };

envContract({ name: "withTimeLimit", env: withTimeLimit(createCorridor(), 5), runner: { describe, test } });

test("truncates an undecided episode at the limit as not successful", async () => {
  const episode = await withTimeLimit(createCorridor({ rooms: 9 }), 2).open(task);
  expect(await episode.step("go east")).toMatchObject({ ending: undefined, success: null });
  expect(await episode.step("go east")).toMatchObject({ ending: "truncated", success: false });
  expect(episode.admissible()).toEqual([]);
  await expect(episode.step("go east")).rejects.toMatchObject({ code: "episode-ended" });
});

test("a goal reached with the last step is an end, not a cut", async () => {
  const episode = await withTimeLimit(createCorridor({ rooms: 3 }), 2).open(task);
  await episode.step("go east");
  expect(await episode.step("go east")).toMatchObject({ ending: "terminated", success: true });
});

test("a fork has as many steps left as its original", async () => {
  const episode = await withTimeLimit(createCorridor({ rooms: 9 }), 2).open(task);
  await episode.step("go east");
  const fork = await episode.fork();
  expect((await fork.step("go east")).ending).toBe("truncated");
  expect(episode.ending).toBeUndefined();
});

test("keeps the lower of two limits, and leaves success open where asked", async () => {
  expect(withTimeLimit(createCorridor({ maxSteps: 4 }), 9).maxSteps).toBe(4);
  const episode = await withTimeLimit(createCorridor({ rooms: 9 }), 1, { successAtLimit: null }).open(task);
  expect(await episode.step("go east")).toMatchObject({ ending: "truncated", success: null });
});

test("refuses a limit that is not a positive whole number", () => {
  expect(() => withTimeLimit(createCorridor(), 0)).toThrow("0 steps");
});
