import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { limbeck } from "../../../../../test/support/fake-io.ts";

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

interface Step {
  readonly id: string;
  readonly run: string;
  readonly if?: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the steps of the written action one after the other, as a runner does; gives the code of the step that failed. */
async function runAction(given: Readonly<Record<string, string>>, lift = "0"): Promise<number> {
  const action = parse(await readFile(join(cwd, ".github/actions/limbeck-lift/action.yml"), "utf8")) as {
    readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
    readonly runs: { readonly using: string; readonly steps: readonly Step[] };
  };
  expect(action.runs.using).toBe("composite");
  const outputs: Record<string, string> = {};
  const value = (expression: string): string => {
    const [, kind, name = "", output = ""] =
      /^(inputs|steps|github)\.([\w-]+)(?:\.outputs\.(\w+))?/.exec(expression) ?? [];
    if (kind === "inputs") return given[name] ?? action.inputs[name]?.default ?? "";
    return kind === "steps" ? (outputs[`${name}.${output}`] ?? "") : "from-github";
  };
  for (const { id, run, env, if: when } of action.runs.steps) {
    // No text of a pull request is written into a script.
    expect(run).not.toContain("${{");
    if (when !== undefined && outputs["lift.verdict"] === "nothing") continue;
    const file = join(cwd, `${id}.out`);
    await writeFile(file, "");
    const values = Object.entries(env).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => value(expression)),
    ]);
    const { status } = spawnSync("bash", ["-c", run], {
      cwd,
      env: {
        ...process.env,
        ...Object.fromEntries(values),
        PATH: `${join(cwd, "bin")}:${process.env["PATH"]}`,
        GITHUB_OUTPUT: file,
        GITHUB_STEP_SUMMARY: join(cwd, "summary.md"),
        LIFT_CODE: lift,
      },
    });
    for (const line of (await readFile(file, "utf8")).split("\n").filter(Boolean))
      outputs[`${id}.${line.split("=")[0]}`] = line.slice(line.indexOf("=") + 1);
    if (status !== 0) return status ?? -1;
  }
  return 0;
}
const inputs = () => ({ base, dataset: "tasks.jsonl", limbeck: "lifter", agent: "node agent.mjs {prompt}" });
const words = async () => (await readFile(join(cwd, "words.txt"), "utf8")).trim().split("\n");

test("the workflow and the action are written once, values as values", async () => {
  const { code } = await limbeck(["ci", "--dataset", 'a: "b"\n# c', "--budget", "2.5", "--library", "my skills/"], {
    cwd,
  });
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
    "budget-usd": "2.5",
  });
  expect((await limbeck(["ci"], { cwd })).code).toBe(2);
  expect((await limbeck(["ci", "--force"], { cwd })).code).toBe(0);
  expect((await limbeck(["ci", "bin"], { cwd })).code).toBe(3);
});

test("only skills that changed are lifted, the table is commented, and the lift's code is the check's", async () => {
  await limbeck(["ci"], { cwd });
  expect(await runAction(inputs())).toBe(0);
  await expect(words()).rejects.toThrow("ENOENT");
  await skill("new-one");
  await skill("new-two");
  expect(await runAction(inputs())).toBe(0);
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
    expect.arrayContaining(["--agent", "node agent.mjs {prompt}", "--budget", "usd=5", "--dry-run"]),
  );
  expect(await readFile(join(cwd, "comment.txt"), "utf8")).toContain("limbeck-lift/lift.md");
  expect(await readFile(join(cwd, "summary.md"), "utf8")).toContain("| skill | helps |");
  expect(await runAction(inputs(), "4")).toBe(4);
});

test("a folder whose name is no skill's, and a budget that is no amount, end the check", async () => {
  await limbeck(["ci"], { cwd });
  await skill("--out=x; touch stolen");
  expect(await runAction(inputs())).toBe(2);
  git("rm", "-rq", "skills/--out=x; touch stolen");
  await skill("good");
  expect(await runAction({ ...inputs(), "budget-usd": "1e9; x" })).toBe(2);
});
