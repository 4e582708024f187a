/** A tune from the command line: bad words, and one in which nothing learns. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { COMMAND_LINE } from "../../../../../test/support/command-line.ts";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";

const newFolder = temporaryFolders();
const run = promisify(execFile);

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
