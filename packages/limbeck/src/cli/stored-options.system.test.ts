import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { openStore } from "limbeck-store/store/open-store";

const newFolder = temporaryFolders();
const arm = builtChild("kill-arm");
const SMALL = { tasks: 1, group: 2, answerTokens: 3, maxSteps: 2 };

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** A folder, and the options of a world whose program would leave a mark in it. */
async function marked() {
  const folder = await newFolder();
  const mark = join(folder, "mark");
  const args = ["-e", `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "")`];
  return { folder, mark, envOptions: { server: { command: process.execPath, args } } };
}

/** A plan whose only arm names the program; its options count as much as those of the plan. */
async function writePlan(folder: string, file: string, envOptions: object): Promise<void> {
  await writeTinyModel(join(folder, "model"), 1, 2_048);
  const plan = {
    version: 1,
    arms: [{ name: "a", recipe: "grpo", settings: SMALL, envOptions }],
    seeds: [1],
    env: "tools",
    model: join(folder, "model"),
    budget: { account: "updates", amount: 1 },
    evaluation: { tasks: 1, split: "train", finalTasks: 0 },
  };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(plan));
}

test("arena --allow-commands starts it", async () => {
  const { folder: cwd, mark, envOptions } = await marked();
  await writePlan(cwd, join(cwd, "theirs/plan.json"), envOptions);
  await limbeck(["arena", "--resume", "theirs", "--allow-commands"], { cwd });
  expect(await exists(mark)).toBe(true);
});

test("train --config: the same; what is typed is a person's word", async () => {
  const { folder, mark, envOptions } = await marked();
  await writeTinyModel(join(folder, "model"), 1, 2_048);
  const config = { recipe: "grpo", env: "tools", envOptions, model: "model", steps: 1, settings: SMALL };
  await writeFile(join(folder, "config.json"), JSON.stringify(config));
  const words = ["train", "--config", "config.json", "--report-tasks", "1", "--validate-every", "0"];
  const refused = await limbeck(words, { cwd: folder });
  expect([refused.code, await exists(mark)]).toEqual([2, false]);
  for (const word of ["config.json", process.execPath, "limbeck train --allow-commands"]) {
    expect(refused.err).toContain(word);
  }
  const typed = ["--env-set", `server=${JSON.stringify(envOptions.server)}`];
  await limbeck([...words, ...typed, "--dir", "typed"], { cwd: folder });
  expect(await exists(mark)).toBe(true);
});

test("play: a program that was typed runs", async () => {
  const { mark, envOptions } = await marked();
  await limbeck(["play", "--env", "tools", "--set", `server=${JSON.stringify(envOptions.server)}`]);
  expect(await exists(mark)).toBe(true);
});

test.each([
  ["--resume", "theirs/plan.json", ["--resume", "theirs"]],
  ["--plan", "plan.json", ["--plan", "plan.json", "--dir", "mine"]],
])("arena %s: the program of a plan in a file is not started", async (_how, file, words) => {
  const { folder: cwd, mark, envOptions } = await marked();
  await writePlan(cwd, join(cwd, file), envOptions);
  const refused = await limbeck(["arena", ...words], { cwd });
  expect(await exists(mark)).toBe(false);
  expect(refused.code).toBe(2);
  for (const word of [file, process.execPath, "limbeck arena --allow-commands"]) expect(refused.err).toContain(word);
  // To look at it starts nothing.
  expect((await limbeck(["arena", ...words, "--dry-run"], { cwd })).code).toBe(0);
});

test("one run of a plan by itself does not start it", async () => {
  const { folder, mark, envOptions } = await marked();
  const file = join(folder, "plan.json");
  await writePlan(folder, file, envOptions);
  const one = promisify(execFile)(process.execPath, [arm(), file, "a", "1", folder]);
  await expect(one).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("--allow-commands") as string });
  expect(await exists(mark)).toBe(false);
});

test("train --resume reads no options of the world from the folder", async () => {
  const { folder, mark, envOptions } = await marked();
  await writeTinyModel(join(folder, "model"), 1, 2_048);
  const store = openStore(join(folder, "runs"));
  const env = `tools ${JSON.stringify(envOptions)}`;
  await (await store.createRun({ id: "theirs", kind: "train", config: { recipe: "grpo", env } })).close();
  await store.close();
  const settings = Object.entries(SMALL).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const words =
    "train --recipe grpo --env countdown --model model --steps 1 --report-tasks 1 --validate-every 0 --dir runs/theirs";
  const { code } = await limbeck([...words.split(" "), "--resume", ...settings], { cwd: folder });
  expect([code, await exists(mark)]).toEqual([0, false]);
});
