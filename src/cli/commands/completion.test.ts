import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../test/support/fake-io.ts";

const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-completion-"));
  for (const shell of ["bash", "zsh"]) {
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
  expect(await offered("limbeck", "co")).toEqual(["compact", "completion", "conformance"]);
  expect(await offered("limbeck", "--store", "x", "ex")).toEqual(["explain", "export"]);
  expect(await offered("limbeck", "runs", "")).toEqual(["list", "show", "delete", "copy", "keep"]);
  expect(await offered("limbeck", "runs", "--ye")).toEqual(["--yes"]);
  expect(await offered("limbeck", "sql", "--format", "")).toEqual(["table", "csv", "json"]);
  expect(await offered("limbeck", "catalog", "--state", "n")).toEqual(["not yet"]);
  expect(await offered("limbeck", "import", "ch")).toEqual(["chats.jsonl"]);
  expect(await offered("limbeck", "import", "--lenient", "chats.jsonl", "--f")).toEqual(["--from", "--format"]);
});

test("zsh gets every command with its summary and balanced quotes", async () => {
  const { out } = await limbeck(["completion", "zsh"]);
  expect(out).toMatch(/^#compdef limbeck\n/);
  expect(out).toContain("'sql:Ask the store in SQL'");
  expect(out).toContain("'--state[works, measured, part or \"not yet\"]:value:(works measured part not\\ yet)'");
  const there = await run("zsh", ["-n", join(folder, "zsh")]).then(
    () => "parsed",
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? "no zsh here" : `refused: ${error.message}`),
  );
  expect(["parsed", "no zsh here"]).toContain(there);
});

test("another shell is refused with the known ones", async () => {
  expect((await limbeck(["completion", "bsh"])).err).toContain('Did you mean "bash"? Known: bash, zsh.');
});
