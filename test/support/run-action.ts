/** The steps of the composite action that `limbeck ci` wrote, one after the other, as a runner of GitHub does them. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly id: string;
  readonly run: string;
  readonly if?: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Ran {
  /** That of the step that failed; 0 where none did. */
  readonly code: number;
  readonly outputs: Readonly<Record<string, string>>;
  /** What a runner shows of the run. */
  readonly summary: string;
  readonly err: string;
}

export async function runAction(
  cwd: string,
  given: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const action = parse(await readFile(join(cwd, ".github/actions/limbeck-lift/action.yml"), "utf8")) as {
    readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
    readonly runs: { readonly using: string; readonly steps: readonly Step[] };
  };
  expect(action.runs.using).toBe("composite");
  const files = await mkdtemp(join(tmpdir(), "limbeck-runner-"));
  const outputs: Record<string, string> = {};
  const value = (expression: string): string => {
    const [, kind, name = "", output = ""] =
      /^(inputs|steps|github)\.([\w-]+)(?:\.outputs\.(\w+))?/.exec(expression) ?? [];
    if (kind === "inputs") return given[name] ?? action.inputs[name]?.default ?? "";
    return kind === "steps" ? (outputs[`${name}.${output}`] ?? "") : "from-github";
  };
  const [summary, output] = [join(files, "summary.md"), join(files, "output")];
  await writeFile(summary, "");
  let [code, err] = [0, ""];
  for (const { id, run, env, if: when } of action.runs.steps) {
    // No text of a pull request is written into a script.
    expect(run).not.toContain("${{");
    if (when !== undefined && outputs["lift.verdict"] === "nothing") continue;
    await writeFile(output, "");
    const values = Object.entries(env).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => value(expression)),
    ]);
    const places = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
    const all = { ...process.env, ...Object.fromEntries(values), ...places, ...more } as NodeJS.ProcessEnv;
    const { status, stderr } = spawnSync("bash", ["-c", run], { cwd, env: all, encoding: "utf8" });
    err += stderr;
    for (const line of (await readFile(output, "utf8")).split("\n").filter(Boolean))
      outputs[`${id}.${line.split("=")[0]}`] = line.slice(line.indexOf("=") + 1);
    if (status !== 0) {
      code = status ?? -1;
      break;
    }
  }
  const ran = { code, outputs, summary: await readFile(summary, "utf8"), err };
  await rm(files, { recursive: true, force: true });
  return ran;
}
