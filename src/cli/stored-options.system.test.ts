import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../test/support/fake-io.ts";
import { temporaryFolders } from "../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../test/support/tiny-folder.ts";

const newFolder = temporaryFolders();
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
