import { describe, expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { envContract } from "limbeck-core/env/env.contract";
import type { Env } from "limbeck-core/env/env";
import type { Demonstrator } from "limbeck-core/env/expert";
import { archive } from "./index.ts";
import { createArchive } from "./archive.ts";
import { drawLibrary, type LibraryNode } from "./library.ts";

envContract({ name: "archive", env: createArchive({ size: "tiny" }), runner: { describe, test }, runs: 8 });

const tasksOf = (env: Env, count: number): Task[] => [...(env.tasks("valid", { count }) as Iterable<Task>)];

async function played(env: Env, task: Task, demonstrator: Demonstrator): Promise<{ steps: number; won: boolean }> {
  const episode = await env.open(task);
  const demonstration = demonstrator.start(task, createRng(0));
  let [steps, action] = [0, undefined as string | undefined];
  while (episode.ending === undefined) {
    action = demonstration.next({ action, observation: episode.observation, admissible: episode.admissible() });
    await episode.step(action);
    steps += 1;
  }
  return { steps, won: episode.success === true };
}

test("both demonstrators always find the answer; captions save most of the reading", async () => {
  const env = createArchive();
  const { expert, reader } = archive.demonstrators ?? {};
  const tasks = tasksOf(env, 60);
  const quick = await Promise.all(tasks.map((task) => played(env, task, expert!)));
  const slow = await Promise.all(tasks.map((task) => played(env, task, reader!)));
  expect([...quick, ...slow].every(({ won }) => won)).toBe(true);
  expect(mean(quick.map(({ steps }) => steps))).toBeLessThan(mean(slow.map(({ steps }) => steps)) / 2);
});

test("one page, and only one, holds the fact that is asked for", () => {
  const pages = (place: LibraryNode): string[] => [place.text, ...place.children.flatMap(pages)];
  for (let seed = 0; seed < 50; seed += 1) {
    const { question, answer, root } = drawLibrary({ width: 3, vague: 0.3 }, createRng(seed));
    const asked = question.replace("Who was the", "The").replace("?", ` was ${answer}.`);
    expect(pages(root).filter((text) => text.includes(asked))).toHaveLength(1);
  }
});

test("looking, going back, and an answer that ends it", async () => {
  const env = createArchive({ size: "tiny" });
  const [task] = tasksOf(env, 1);
  const episode = await env.open(task!);
  expect(episode.admissible()).toEqual(["open 1", "open 2"]);
  await episode.step("open 1");
  expect(episode.stateKey).toBe("at 1");
  expect(episode.observation).toMatch(/^Question: Who was the .+ of \w+\?\nYou look at the land of .+\n1: records of /);
  expect(await episode.step("open 3")).toMatchObject({ valid: false });
  await episode.step("up");
  expect(episode.stateKey).toBe("at ");
  expect([episode.irreversible?.("open 1"), episode.irreversible?.("answer nobody")]).toEqual([false, true]);
  expect(await episode.step("answer nobody")).toMatchObject({ ending: "terminated", success: false, valid: true });
  expect(episode.observation).toBe("That is wrong.");
});

test("options are checked", async () => {
  await expect(archive.create({ size: "vast" })).rejects.toThrow(
    /size of archive is "vast"; it takes tiny or small or large/,
  );
  const env = await archive.create({ size: "large", seed: 2 });
  const [task] = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  await expect(env.open({ ...task!, data: {} })).rejects.toThrow(/no archive question/);
});
