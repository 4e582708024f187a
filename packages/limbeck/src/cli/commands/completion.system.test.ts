import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";

const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-completion-"));
  for (const shell of ["bash", "fish", "powershell", "zsh"]) {
    await writeFile(join(folder, shell), (await limbeck(["completion", shell])).out);
  }
  await writeFile(join(folder, "chats.jsonl"), "");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a real bash offers after these words; the last one is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _limbeck; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run("bash", ["--norc", "-c", script, join(folder, "bash"), ...words], { cwd: folder });
  return stdout.trim().split("\n");
}

test("bash completes commands, options, sub-commands, values and files", async () => {
  expect(await offered("limbeck", "co")).toEqual(["compact", "compare", "completion", "conformance"]);
  expect(await offered("limbeck", "--store", "x", "ex")).toEqual(["explain", "export"]);
  expect(await offered("limbeck", "runs", "")).toEqual(["list", "show", "delete", "set-aside", "copy", "keep"]);
  expect(await offered("limbeck", "runs", "--ye")).toEqual(["--yes"]);
  expect(await offered("limbeck", "sql", "--format", "")).toEqual(["table", "csv", "json"]);
  expect(await offered("limbeck", "catalog", "--state", "n")).toEqual(["not yet"]);
  expect(await offered("limbeck", "import", "ch")).toEqual(["chats.jsonl"]);
  expect(await offered("limbeck", "import", "--lenient", "chats.jsonl", "--f")).toEqual(["--from", "--format"]);
});

/** What a program prints; undefined where it is not installed. */
async function printed(program: string, ...words: string[]): Promise<string | undefined> {
  return await run(program, words, { cwd: folder }).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    },
  );
}

test("zsh gets every command with its summary, and can load the script", async () => {
  const { out } = await limbeck(["completion", "zsh"]);
  expect(out).toMatch(/^#compdef limbeck\n/);
  expect(out).toContain("'sql:Ask the store in SQL'");
  expect(out).toContain("(works by\\ construction measured part not\\ yet)'");
  const load = 'autoload -Uz compinit; compinit -u -D; source "$0"; print -r -- $_comps[limbeck]';
  expect((await printed("zsh", "-f", "-c", load, join(folder, "zsh"))) ?? "_limbeck\n").toBe("_limbeck\n");
});

test("fish gets a line for each command, action and option", async () => {
  const { out } = await limbeck(["completion", "fish"]);
  expect(out).toContain("complete -c limbeck -n '__limbeck_count 0' -f -a sql -d 'Ask the store in SQL'\n");
  expect(out).toContain("complete -c limbeck -n '__limbeck_is runs; and __limbeck_count 1' -f -a copy -d ");
  expect(out).toContain(
    "complete -c limbeck -n '__limbeck_is sql' -l format -d 'table, csv or json. Default: table' -x -a 'table csv json'\n",
  );
  expect(out).toMatch(
    /'__limbeck_is catalog' -l state -d '[^']*' -x -a 'works by\\\\ construction measured part not\\\\ yet'\n/,
  );
  expect(out).toMatch(/'__limbeck_is train' -l credit -d 'Another credit method than the recipe\\'s' -x -a /);
  // Every quote that opens is closed on its line.
  expect(out.split("\n").filter((line) => line.replaceAll(/\\./g, "").split("'").length % 2 === 0)).toEqual([]);
  const offer = (typed: string) => printed("fish", "--no-config", "-c", `source fish; complete -C '${typed}'`);
  expect((await offer("limbeck sql --format ")) ?? "csv\njson\ntable\n").toBe("csv\njson\ntable\n");
  expect((await offer("limbeck runs --store x k")) ?? "keep\t").toMatch(/^keep\t/);
});

test("PowerShell gets tables of commands, actions, options and values", async () => {
  const { out } = await limbeck(["completion", "powershell"]);
  expect(out).toContain("'sql' = 'Ask the store in SQL';");
  expect(out).toContain("    'sql --format' = @('table', 'csv', 'json')\n");
  expect(out).toContain("    'catalog --state' = @('works', 'by construction', 'measured', 'part', 'not yet')\n");
  expect(out).toContain("'--credit' = 'Another credit method than the recipe''s'");
  const inside = out.slice(0, out.indexOf("  $typed = "));
  expect(
    inside
      .split("\n")
      .slice(1)
      .filter((line) => line.split("'").length % 2 === 0),
  ).toEqual([]);
  expect(inside.split("{")).toHaveLength(inside.split("}").length + 1);
  await writeFile(
    join(folder, "offer.ps1"),
    `${out}\n(TabExpansion2 $args[0] $args[0].Length).CompletionMatches.CompletionText`,
  );
  const offer = (typed: string) => printed("pwsh", "-NoProfile", "-File", join(folder, "offer.ps1"), typed);
  expect((await offer("limbeck sql --format ")) ?? "table\ncsv\njson\n").toBe("table\ncsv\njson\n");
  expect((await offer("limbeck runs k")) ?? "keep\n").toBe("keep\n");
});

test("another shell is refused with the known ones", async () => {
  expect((await limbeck(["completion", "bsh"])).err).toContain(
    'Did you mean "bash"? Known: bash, fish, powershell, zsh.',
  );
});
