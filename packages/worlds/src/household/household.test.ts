import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { createRng } from "limbeck-base/base/rng";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createAlfworld } from "../alfworld/alfworld.ts";
import type { Env } from "limbeck-core/env/env";
import { envContract } from "limbeck-core/env/env.contract";
import type { GeneratedFile } from "limbeck-core/env/world";
import { createHousehold } from "./household.ts";
import { expert, demonstrate } from "./demonstrators.ts";
import { household } from "./index.ts";

const runner = { describe, test };
envContract({ name: "household, tiny", env: createHousehold({ dial: "tiny" }), runner, runs: tries(5, 25) });
envContract({ name: "household, official", env: createHousehold({ dial: "official" }), runner, runs: tries(2, 8) });

function firstTasks(env: Env, split: string, count: number, offset = 0): readonly Task[] {
  return [...(env.tasks(split, { count, offset }) as Iterable<Task>)];
}

test("an offset skips and changes nothing else", () => {
  const env = createHousehold({ dial: "tiny" });
  expect(firstTasks(env, "valid", 3, 4)).toEqual(firstTasks(env, "valid", 7).slice(4));
});

test("a task opens in a household of other settings as the same game", async () => {
  const tiny = createHousehold({ dial: { from: "tiny", shut: 1 }, families: ["pick_two_obj_and_place"], seed: 3 });
  const [task] = firstTasks(tiny, "test", 1, 5) as [Task];
  const there = await tiny.open(task);
  const elsewhere = await createHousehold({ dial: "official" }).open(JSON.parse(JSON.stringify(task)) as Task);
  expect(elsewhere.observation).toBe(there.observation);
  expect(elsewhere.admissible()).toEqual(there.admissible());
});

test("the opening ends with the task's goal", async () => {
  const env = createHousehold();
  const [task] = firstTasks(env, "train", 1) as [Task];
  const { observation } = await env.open(task);
  expect(observation.endsWith(`\n\nYour task is to: ${task.goal}`)).toBe(true);
});

test("walkthroughs of every family win at their last step", async () => {
  const count = tries(12, 30);
  const games = [
    ...(household.generate!({ seed: 5, count, options: { dial: "official" } }) as Iterable<GeneratedFile>),
  ];
  const env = createHousehold({ dial: "official", seed: 5 });
  for (const [index, task] of firstTasks(env, "train", count).entries()) {
    const { walkthrough } = JSON.parse(games[index]!.text) as { walkthrough: string[] };
    const episode = await env.open(task);
    for (const [step, command] of walkthrough.entries()) {
      expect(episode.admissible()).toContain(command);
      const { success } = await episode.step(command);
      expect(success).toBe(step === walkthrough.length - 1 ? true : null);
    }
  }
});

test("the horizon cuts an episode", async () => {
  const env = createHousehold({ dial: "tiny", horizon: 14 });
  expect(env.maxSteps).toBe(14);
  const [task] = firstTasks(env, "train", 1) as [Task];
  const episode = await env.open(task);
  for (let step = 0; step < 14; step += 1) await episode.step("look");
  expect([episode.ending, episode.success]).toEqual(["truncated", false]);
});

test("bad options, splits and tasks are refused with a way out", async () => {
  await expect(household.create({ dail: "tiny" })).rejects.toThrow(
    /No option of household "dail"\. Did you mean "dial"\?/,
  );
  await expect(household.create({ dial: "tinny" })).rejects.toThrow(/Did you mean "tiny"/);
  await expect(household.create({ hiddenCommands: [1] })).rejects.toThrow(
    /hiddenCommands.0 of household is 1; it takes a text/,
  );
  await expect(household.create({ families: "look_at_obj_in_light", dial: { rooms: ["kitchen"] } })).rejects.toThrow(
    /needs a desk lamp/,
  );
  const env = createHousehold();
  expect(() => firstTasks(env, "trian", 1)).toThrow(/No split of household "trian"\. Did you mean "train"\?/);
  const foreign: Task = { id: "shop/1", env: "shop", seed: 0, goal: "buy", split: "train" };
  await expect(env.open(foreign)).rejects.toThrow(/Task "shop\/1" is not a household task/);
});

describe("files", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "limbeck-household-"));
    for (const split of ["train", "test"]) {
      const files = household.generate!({ seed: 11, count: tries(6, 12), split, options: { dial: "medium" } });
      for (const { path, text } of files as Iterable<GeneratedFile>) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("load in the alfworld room, where the expert solves them all", async () => {
    const env = await createAlfworld({ root: folder });
    expect(env.splits).toEqual({ train: tries(6, 12), test: tries(6, 12) });
    const families = new Set<unknown>();
    for (const split of ["train", "test"]) {
      for await (const task of env.tasks(split)) {
        const { success } = await demonstrate(await env.open(task), expert, createRng(task.id));
        expect([task.id, success]).toEqual([task.id, true]);
        families.add(task.data?.["family"]);
      }
    }
    expect(families.size).toBe(6);
  });
});
