import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { runAction as runIn } from "../../../../../test/support/run-action.ts";

let cwd = "";
let base = "";
const git = (...words: readonly string[]) => execFileSync("git", ["-C", cwd, ...words], { encoding: "utf8" }).trim();
const skill = async (name: string) => {
  await mkdir(join(cwd, "skills", name), { recursive: true });
  await writeFile(join(cwd, "skills", name, "SKILL.md"), `# ${name}\n`);
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", name);
};
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "limbeck-ci-"));
  git("init", "-q");
  await skill("old-one");
  base = git("rev-parse", "HEAD");
  await mkdir(join(cwd, "bin"));
  const fake = async (name: string, lines: string) => {
    await writeFile(join(cwd, "bin", name), `#!/bin/bash\n${lines}\n`);
    await chmod(join(cwd, "bin", name), 0o755);
  };
  await fake(
    "lifter",
    'printf "%s\\n" "$@" > words.txt; echo "| skill | helps |" > limbeck-lift/lift.md; exit "${LIFT_CODE:-0}"',
  );
  await fake("gh", 'printf "%s\\n" "$@" > comment.txt');
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const runWith = (given: Readonly<Record<string, string>>, lift = "0") =>
  runIn(cwd, given, { PATH: `${join(cwd, "bin")}:${process.env["PATH"]}`, LIFT_CODE: lift });
const runAction = async (...given: Parameters<typeof runWith>): Promise<number> => (await runWith(...given)).code;
const inputs = () => ({ base, dataset: "tasks.jsonl", limbeck: "lifter", agent: "node agent.mjs {prompt}" });
const words = async () => (await readFile(join(cwd, "words.txt"), "utf8")).trim().split("\n");

test("the workflow and the action are written once, values as values", async () => {
  const { code } = await limbeck(
    [
      "ci",
      "--dataset",
      'a: "b"\n# c',
      "--budget",
      "tokens=2000",
      "--budget",
      "usd=2.5",
      "--prices",
      "1,5",
      "--library",
      "my skills/",
    ],
    {
      cwd,
    },
  );
  expect(code).toBe(0);
  const workflow = parse(await readFile(join(cwd, ".github/workflows/skills.yml"), "utf8")) as {
    readonly on: object;
    readonly permissions: object;
    readonly jobs: { readonly lift: { readonly steps: readonly { readonly with?: object }[] } };
  };
  expect(workflow.on).toEqual({ pull_request: { paths: ["my skills/**"] } });
  expect(workflow.permissions).toEqual({ contents: "read", "pull-requests": "write" });
  expect(workflow.jobs.lift.steps.at(-1)?.with).toEqual({
    library: "my skills/",
    dataset: 'a: "b"\n# c',
    agent: "",
    budget: "tokens=2000 usd=2.5",
    prices: "1,5",
  });
  expect((await limbeck(["ci"], { cwd })).code).toBe(2);
  expect((await limbeck(["ci", "--force"], { cwd })).code).toBe(0);
  expect((await limbeck(["ci", "bin"], { cwd })).code).toBe(3);
  // What the lift would refuse is refused before anything is written.
  const refused = async (...words: string[]) => (await limbeck(["ci", "--force", ...words], { cwd })).err;
  expect(await refused("--agent", "node agent.mjs {prompt}", "--budget", "usd=2")).toContain("runs=N or seconds=N");
  expect(await refused("--budget", "usd=2")).toContain("needs --prices READ,SAID");
});

test("only skills that changed are lifted, the table is commented, and the lift's code is the check's", async () => {
  await limbeck(["ci"], { cwd });
  expect(await runAction(inputs())).toBe(0);
  await expect(words()).rejects.toThrow("ENOENT");
  await skill("new-one");
  await skill("new-two");
  const passed = await runWith(inputs());
  expect(passed).toMatchObject({ code: 0, outputs: { "lift.verdict": "passed" } });
  expect((await words()).slice(0, 7)).toEqual([
    "lift",
    "new-one",
    "new-two",
    "--library",
    "skills",
    "--dataset",
    "tasks.jsonl",
  ]);
  expect(await words()).toEqual(
    expect.arrayContaining(["--agent", "node agent.mjs {prompt}", "--budget", "runs=600", "--dry-run"]),
  );
  expect(await readFile(join(cwd, "comment.txt"), "utf8")).toContain("limbeck-lift/lift.md");
  expect(passed.summary).toContain("| skill | helps |");
  expect(await runAction(inputs(), "4")).toBe(4);
});

test("known answers, earlier versions and proposals are no skills", async () => {
  await limbeck(["ci"], { cwd });
  for (const path of [
    ".lift/answers.jsonl",
    "old-one/versions/000001.md",
    "proposals/new-one/SKILL.md",
    "index.json",
  ]) {
    await mkdir(dirname(join(cwd, "skills", path)), { recursive: true });
    await writeFile(join(cwd, "skills", path), "x\n");
  }
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "beside");
  expect(await runAction(inputs())).toBe(0);
  await expect(words()).rejects.toThrow("ENOENT");
});

test("a folder whose name is no skill's, and a budget that is no amount, end the check", async () => {
  await limbeck(["ci"], { cwd });
  await skill("--out=x; touch stolen");
  expect(await runAction(inputs())).toBe(2);
  git("rm", "-rq", "skills/--out=x; touch stolen");
  await skill("good");
  expect(await runAction({ ...inputs(), budget: "usd=1e9; x" })).toBe(2);
});
