/** `--yes`, by the real command line in a project that has no engine, with a stand-in of npm. */
import { chmod, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { cloneProgram, runIn, type Ended } from "./support/clone-without.ts";
import { filledFolder } from "./support/temporary-folder.ts";

const packages = fileURLToPath(new URL("../node_modules", import.meta.url));
const CLI = join("node_modules", "limbeck", "packages", "limbeck", "dist", "cli", "bin.js");
const DUCKDB = /npm install --ignore-scripts @duckdb\/node-api@[\w.-]+/;
const SLOW = { timeout: 240_000 };

describe.skipIf(process.platform === "win32")("a stand-in of npm, which is a shell script", () => {
  const place = filledFolder(async (folder) => {
    await writeFile(join(folder, "package.json"), "{}");
    await cloneProgram(join(folder, "node_modules", "limbeck"), "all");
    await mkdir(join(folder, "bin"));
  });

  /** Types it in the project, where npm does what the script says and notes its words. */
  async function typed(script: string, words: readonly string[]): Promise<Ended & { readonly asked: string }> {
    const npm = join(place(), "bin", "npm");
    await writeFile(npm, `#!/bin/sh\necho "$PWD: $*" > ${join(place(), "words")}\n${script}\n`);
    await chmod(npm, 0o755);
    await writeFile(join(place(), "words"), "");
    const path = [dirname(npm), process.env["PATH"]].join(delimiter);
    const ended = await runIn(place(), [CLI, ...words], { PATH: path });
    return { ...ended, asked: (await readFile(join(place(), "words"), "utf8")).trim() };
  }

  test("without it nothing is installed; with it the command goes on", SLOW, async () => {
    const project = await realpath(place());
    const ask = ["sql", "select 6 * 7 as answer", "--json"];
    const refused = await typed("", ask);
    expect([refused.code, refused.asked]).toEqual([1, ""]);
    const { message } = (JSON.parse(refused.err) as { readonly error: { readonly message: string } }).error;
    expect(message).toMatch(DUCKDB);
    expect(message).toContain("Or type the same with --yes: it installs about 72 MB and goes on.");

    const failed = await typed("echo npm error code E404 >&2; exit 1", [...ask, "--yes"]);
    expect([failed.code, failed.out]).toEqual([1, ""]);
    expect(failed.err).toMatch(/failed with exit code 1:\\n {2}npm error code E404"/);

    const link = `ln -s ${join(packages, "@duckdb")} node_modules/@duckdb`;
    const { code, out, err, asked } = await typed(link, ["sql", "select 6 * 7 as answer", "--yes"]);
    expect(`${project}: ${DUCKDB.exec(err)?.[0]}`).toBe(asked.replace(": ", ": npm "));
    expect([code, err.replaceAll(/\s+/g, " ")]).toEqual([
      0,
      expect.stringContaining(`Installing about 72 MB into ${project}: npm install`) as string,
    ]);
    expect(out).toContain("42");
    // The next call finds it there.
    expect(await typed("exit 1", [...ask, "--yes"])).toMatchObject({ code: 0, out: '{"answer":42}\n', asked: "" });
  });
});
