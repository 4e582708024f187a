/** A tune from the command line: bad words, and a real one on a world of one's own. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { COMMAND_LINE } from "../../../test/support/command-line.ts";
import { limbeck } from "../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../test/support/tiny-folder.ts";
import type { StoredTune } from "../../arena/index.ts";

const newFolder = temporaryFolders();
const run = promisify(execFile);

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
  const { stdout } = await run(process.execPath, [COMMAND_LINE, ...words, ...more], { cwd: root });
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

test("where nothing learns, that is said, and no line to train with", async () => {
  const root = await newFolder();
  await writeTinyModel(join(root, "start"), 1, 2_048);
  const settings = ["tasks=1", "group=2", "answerTokens=3", "maxSteps=2"].flatMap((one) => ["--set", one]);
  const words = ["tune", "--model", join(root, "start"), "--over", "learningRate=1e-9,1e-8", ...settings];
  const more = ["--seeds", "1", "--budget", "steps=4", "--validation-tasks", "1", "--dir", join(root, "tune")];
  // A process of its own starts those of the tune compiled, which is most of their time; another code than 0 throws.
  const { stdout: out } = await run(process.execPath, [COMMAND_LINE, ...words, ...more]);
  expect(out).toContain("Every setting made the policy worse or left it as it was");
  expect(out).not.toContain("limbeck -- train");
  const taken = await limbeck([...words, ...more]);
  expect([taken.code, taken.err.includes("--resume")]).toEqual([2, true]);
});

test("what cannot be meant is refused by name", async () => {
  const told = async (...words: string[]): Promise<string> => {
    const { code, err } = await limbeck(["tune", "--dry-run", ...words]);
    expect(code).toBe(2);
    return err;
  };
  expect(await told("--recipe", "nonsense")).toContain("nonsense");
  expect(await told("--budget", "hours=1")).toContain('"hours=1" is not a budget of a tune');
  expect(await told("--budget", "steps=1.5")).toContain("steps=40000");
  expect(await told("--over", "colour=red,blue")).toContain("colour");
  expect(await told("--over", "=1,2")).toContain("--over takes NAME=A,B,C");
  expect(await told("--over", "group=2,4", "--over", "group=8,16")).toContain("twice");
  expect(await told("--over", "group=2")).toContain("two or more different values");
  expect(await told("--over", "group=2,4", "--set", "group=8")).toContain("also given as 8");
  expect(await told("--trials", "1")).toContain("--trials");
  expect(await told("--set", "colour=red")).toContain("colour");
  expect(await told("--resume", "nowhere")).toContain("holds no tune");
});

test("a dry run shows what would be tried and touches nothing", async () => {
  const root = await newFolder();
  const { code, out } = await limbeck(["tune", "--dry-run", "--budget", "minutes=2.5"], { cwd: root });
  expect(code).toBe(0);
  expect(out).toContain(
    "grpo on household (dial tiny), split valid, 6 settings × 3 seeds, 2.5 minutes in all, rounds of 6, 3, 2",
  );
  expect(out).toContain("1,learningRate=0.0003,group=8");
});
