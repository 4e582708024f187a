/** A real tune on a world of one's own, from the command line. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { COMMAND_LINE } from "../../../../../test/support/command-line.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";
import type { StoredTune } from "limbeck-training/arena/tune/stored-tune";

const newFolder = temporaryFolders();

/** One step; an answer that begins with an even character solves it. A random model does so about every second time. */
const WORLD = `import { defineWorld, scored } from "limbeck";
import { episodeOf } from "limbeck/env";

const episode = (task) =>
  episodeOf(task, { said: undefined }, {
    observation: ({ said }) => (said === undefined ? "say" : "no"),
    stateKey: ({ said }) => String(said),
    ending: ({ said }) => (said === undefined ? undefined : "terminated"),
    reward: ({ said }) => scored(won(said) ? 1 : 0),
    success: ({ said }) => (said === undefined ? null : won(said)),
    step: (_, action) => ({ state: { said: action }, valid: true, reward: scored(won(action) ? 1 : 0) }),
    fork: (state) => state,
  });
const won = (said) => said !== undefined && said.length > 0 && said.charCodeAt(0) % 2 === 0;

export default defineWorld({
  id: "even",
  info: { title: "Even", meaning: "Says something even." },
  options: {},
  create: () => ({
    id: "even",
    summary: "Says something even.",
    maxSteps: 1,
    splits: { train: 1000, valid: 1000, test: 1000 },
    tasks: (split, { offset = 0, count = 1000 } = {}) =>
      Array.from({ length: count }, (_, at) => ({ id: split + (offset + at), env: "even", seed: offset + at, goal: "say", split })),
    open: (task) => Promise.resolve(episode(task)),
  }),
});
`;

test("a real tune on a world of one's own finds the rate that learns, and says how to train with it", async () => {
  const root = await newFolder();
  await writeTinyModel(join(root, "start"), 1, 160);
  await writeFile(join(root, "world.ts"), WORLD);
  const settings = ["tasks=8", "group=4", "answerTokens=1"].flatMap((one) => ["--set", one]);
  const words = ["tune", "--env", "./world.ts", "--model", "start", "--over", "learningRate=0,0.03", ...settings];
  const more = ["--seeds", "3", "--budget", "steps=1800", "--validation-tasks", "100", "--dir", "tune", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND_LINE, ...words, ...more], { cwd: root });
  const objects = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(objects.at(-1)).toMatchObject({
    outcome: "found",
    best: "2,learningRate=0.03",
    values: { learningRate: "0.03" },
    rounds: 1,
    // Ten updates of 8 tasks with 4 episodes of one step are 320 steps; the first to reach 300 ends a run.
    spent: 6 * 320,
    command:
      "npx limbeck train --recipe grpo --env ./world.ts --model start --set tasks=8 --set group=4 --set answerTokens=1 --set learningRate=0.03",
    dir: "tune",
  });
  // 1800 / 1 round / 6 runs.
  expect(objects.filter(({ event }) => event === "round")).toMatchObject([{ round: 1, amount: 300 }]);
  const { plan } = JSON.parse(await readFile(join(root, "tune", "tune.json"), "utf8")) as StoredTune;
  expect([plan.evaluation.split, plan.evaluation.finalTasks]).toEqual(["valid", 0]);
}, 240_000);
